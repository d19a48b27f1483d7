// Reads texts aloud by a voice of the browser, in the language of the page; `canSpeak` is false without a voice.
export const canSpeak = "speechSynthesis" in window;

export function say(text) {
  speechSynthesis.cancel();
  speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(text), { lang: document.documentElement.lang }));
}
