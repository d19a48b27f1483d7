// Texts of the page in other words or another language: /play.words has those that the study defines.
const TEXTS = await fetch("/play.words").then((answer) => answer.json()).catch(() => ({}));

export const spoken = TEXTS.speech;
export const t = (text, values = {}) => Object.entries(values).reduce(
  (filled, [name, value]) => filled.replaceAll(`{${name}}`, value), TEXTS[text] ?? text);

// Texts that are in the page from the start.
for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
  const node = walker.currentNode, text = node.data.trim();
  if (TEXTS[text]) node.data = node.data.replace(text, () => TEXTS[text]);
}
for (const node of document.querySelectorAll("[aria-label]")) node.ariaLabel = t(node.ariaLabel);
if (TEXTS.language) document.documentElement.lang = TEXTS.language;
