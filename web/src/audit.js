// The page of an audit: what was attacked, what was claimed, what the best attack found.
import {warnings} from './answer.js';
import {count, h, number, plural, saving, show, showUp} from './dom.js';
import {page} from './folder.js';
import {sentencesOf} from './unit.js';

const {audit} = page;

const says = {
  consistent: 'The attack found less than the claim allows. That proves nothing: a better attack may find more.',
  refuted: 'The attack found more than the claim allows: the claim is false.',
  'not enough runs': 'The runs are too few to refute the claim, whatever the attack finds.',
};

const value = (object, unit) => number(object?.[unit] ?? NaN);
const symbol = (one) => (one.found_at_least_in === 'mu' ? 'μ' : 'ε');

function card(one, picture) {
  const unit = one.found_at_least_in;
  const claim = value(one.claim, unit), found = value(one.evidence, unit);
  return h('section', {}, h('h2', {}, `${one.name}: ${one.verdict}`),
    one.verdict === 'refuted' || !one.sound ? h('div', {class: 'alarm', role: 'note'}, h('strong', {}, one.verdict === 'refuted' ? 'Refuted. ' : 'Not a guarantee. '),
      one.verdict === 'refuted' ? says.refuted : `“${one.bound}” is no upper bound, whatever the attack finds.`) : h('p', {class: 'lead'}, says[one.verdict] ?? one.verdict),
    h('ul', {class: 'tiles'},
      h('li', {class: 'tile'}, h('h3', {}, 'Claimed at most'), h('p', {class: 'big'}, `${symbol(one)} ${showUp(claim, 4)}`), h('p', {class: 'muted'}, `bound ${one.bound}, ${one.sound ? 'an upper bound' : 'no upper bound'}`)),
      h('li', {class: 'tile'}, h('h3', {}, 'Found at least'), h('p', {class: 'big'}, `${symbol(one)} ${show(found, 4)}`), h('p', {class: 'muted'}, `at a confidence of ${show(one.evidence?.confidence ?? NaN)}`)),
      h('li', {class: 'tile'}, h('h3', {}, 'Who'), h('p', {}, `Node ${one.to} about node ${one.from}, ${plural(one.distance, 'step')} apart`), h('p', {class: 'muted'}, one.attack))),
    picture ? h('img', {class: 'figure', src: `data:image/svg+xml;base64,${picture}`, alt: 'False alarms against misses of the attack, and the curve that the claim allows; the numbers are in audit.csv'}) : null);
}

function reconstruction() {
  const list = audit.reconstruction ?? [];
  if (list.length === 0) return null;
  const cells = (one) => [one.distance, one.from, show(number(one.rmse)), show(number(one.rmse_without_dither)), show(number(one.noise))];
  return h('section', {}, h('h2', {}, 'Reconstruction'), h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Reconstruction'}, h('table', {class: 'data'},
    h('caption', {}, 'How far off the observer’s estimate of a node’s value is, in units of the sensitivity: root mean squared error'),
    h('thead', {}, h('tr', {}, ['Variant', 'Steps apart', 'About', 'With the dither', 'Without', 'Noise'].map((text, i) => h('th', {scope: 'col', class: i > 0 ? 'number' : null}, text)))),
    h('tbody', {}, list.map((one) => h('tr', {}, h('th', {scope: 'row'}, one.name), cells(one).map((text) => h('td', {class: 'number'}, String(text)))))))));
}

/** What was told apart: of a study whose variants protect different units, each. */
const units = () => [...new Set(audit.audits.map((one) => sentencesOf(one.adjacency).runs))];

export function auditPage() {
  const rows = () => [['name', 'about', 'observer', 'bound', 'sound', 'unit', 'claim', 'found', 'verdict', 'attack'],
    ...audit.audits.map((one) => [one.name, one.from, one.to, one.bound, one.sound ? 'yes' : 'no', one.found_at_least_in,
      value(one.claim, one.found_at_least_in), value(one.evidence, one.found_at_least_in), one.verdict, one.attack])];
  document.title = `${audit.title || page.folder} – netdp audit`;
  return [
    h('header', {}, h('p', {class: 'eyebrow'}, 'netdp audit'), h('h1', {}, audit.title || page.folder),
      h('p', {class: 'facts'}, `An observer was played against the simulator: ${count(audit.runs)} runs ${units().join('; ')}. Confidence that nothing is refuted that holds: ${show(audit.confidence)}.`), warnings().filter(Boolean)),
    h('main', {id: 'answer'}, audit.audits.map((one, i) => card(one, page.pictures?.[i])), reconstruction(),
      h('section', {}, h('h2', {}, 'All of them'), h('p', {class: 'pager'}, saving('audits.csv', rows)))),
  ];
}
