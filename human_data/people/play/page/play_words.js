// What stands in the pages in English may be said in other words: /play.words has those that the server was given.
const PHRASES = await fetch("/play.words").then((answer) => answer.json()).catch(() => ({}));

export const t = (text, values = {}) => Object.entries(values).reduce(
  (told, [name, value]) => told.replaceAll(`{${name}}`, value), PHRASES[text] ?? text);

// What stands in the page from the start.
for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
  const node = walker.currentNode, text = node.data.trim();
  if (PHRASES[text]) node.data = node.data.replace(text, () => PHRASES[text]);
}
for (const node of document.querySelectorAll("[aria-label]")) node.ariaLabel = t(node.ariaLabel);
if (PHRASES.language) document.documentElement.lang = PHRASES.language;
document.getElementById("step").textContent = t("Step {n}", { n: 0 });
