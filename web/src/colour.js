// Colours that do not depend on the eye's cones: viridis, dark for much on light, bright on dark.

const VIRIDIS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'];

const themes = {
  light: {dark: false, text: '#1c2328', muted: '#5b666e', line: '#c9cfd3', grid: '#e6e9ea', ground: '#ffffff', accent: '#0b6e8a', none: '#eef0f1',
    curves: ['#0b6e8a', '#c2571a', '#6b4fa0', '#2f7d3b', '#a8305f', '#7a6a00']},
  dark: {dark: true, text: '#e3e7e9', muted: '#9aa6ad', line: '#465058', grid: '#2b3339', ground: '#1a2024', accent: '#6cc6de', none: '#2a3238',
    curves: ['#6cc6de', '#f0a46b', '#b9a3ea', '#86cf8f', '#ef8fb4', '#d8c75a']},
};

const preference = matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const listeners = [];

export const theme = () => (preference.matches && !printing ? themes.dark : themes.light);

/** Called with the theme's name when it changes, and around printing. */
export const onTheme = (listener) => listeners.push(listener);

const tell = () => listeners.forEach((listener) => listener());
preference.addEventListener('change', tell);
addEventListener('beforeprint', () => { printing = true; tell(); });
addEventListener('afterprint', () => { printing = false; tell(); });
export const isPrinting = () => printing;

const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** part from 0 (nothing) to 1 (the most of the page). */
export function shade(part) {
  const along = theme().dark ? part : 1 - part;
  const place = Math.max(0, Math.min(1, along)) * (VIRIDIS.length - 1);
  const low = Math.min(VIRIDIS.length - 2, Math.floor(place));
  const [a, b] = [parse(VIRIDIS[low]), parse(VIRIDIS[low + 1])];
  return `rgb(${a.map((from, i) => Math.round(from + (b[i] - from) * (place - low))).join(',')})`;
}

export const ramp = () => `linear-gradient(to right, ${Array.from({length: 11}, (_, i) => shade(i / 10)).join(', ')})`;
