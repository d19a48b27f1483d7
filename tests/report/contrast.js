(colors) => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if (!/, 0\)$/.test(color)) return color;
    }
  };
  const texts = document.querySelectorAll("p, td, th, a, h1, h2, summary, dt, dd, .tag, pre, figcaption");
  return [...texts].filter((e) => e.offsetParent)
    .map((e) => [light(getComputedStyle(e).color), light(ground(e))].sort())
    .map(([dark, bright]) => (bright + 0.05) / (dark + 0.05)).reduce((a, b) => Math.min(a, b));
}
