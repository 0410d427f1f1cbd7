// The page of an audit: what was attacked, what was claimed, what the best attack found.
import {warnings} from './answer.js';
import {count, h, number, percentUp, plural, saving, show, showUp} from './dom.js';
import {page} from './folder.js';
import {sentencesOf} from './unit.js';
import * as words from './words.js';

const {audit} = page;

const says = {
  consistent: 'The attack found less than the claim allows. That proves nothing: a better attack may find more.',
  refuted: 'The attack found more than the claim allows: the claim is false.',
  'not enough runs': 'The runs are too few to refute the claim, whatever the attack finds.',
};

const value = (object, unit) => number(object?.[unit] ?? NaN);
const symbol = (one) => (one.found_at_least_in === 'mu' ? 'μ' : 'ε');

const node = (number, name) => (name === undefined ? `node ${number}` : `${name} (${number})`);
const observer = (one) => node(one.to, one.to_name), victim = (one) => node(one.from, one.from_name);
const title = (one) => `${one.name}, ${one.attack}`;

function card(one, picture) {
  const unit = one.found_at_least_in;
  const claim = value(one.claim, unit), found = value(one.evidence, unit);
  return h('section', {}, h('h2', {}, `${title(one)}: ${one.verdict}`),
    one.verdict === 'refuted' || !one.sound ? h('div', {class: 'alarm', role: 'note'}, h('strong', {}, one.verdict === 'refuted' ? 'Refuted. ' : 'Not a guarantee. '),
      one.verdict === 'refuted' ? says.refuted : `“${one.bound}” is no upper bound, whatever the attack finds.`) : h('p', {class: 'lead'}, says[one.verdict] ?? one.verdict),
    h('ul', {class: 'tiles'},
      h('li', {class: 'tile'}, h('h3', {}, 'Claimed at most'), h('p', {class: 'big'}, `${symbol(one)} ${showUp(claim)}`), h('p', {class: 'muted'}, `bound ${one.bound}, ${one.sound ? 'an upper bound' : 'no upper bound'}`)),
      h('li', {class: 'tile'}, h('h3', {}, 'Found at least'), h('p', {class: 'big'}, `${symbol(one)} ${show(found, 4)}`), h('p', {class: 'muted'}, `at a confidence of ${show(one.evidence?.confidence ?? NaN)}`)),
      h('li', {class: 'tile'}, h('h3', {}, 'Who'), h('p', {}, `${observer(one)} about ${victim(one)}, ${plural(one.distance, 'step')} apart`), h('p', {class: 'muted'}, `attack: ${one.attack}`))),
    points(one),
    picture ? h('img', {class: 'figure', src: `data:image/svg+xml;base64,${picture}`, alt: 'False alarms against misses of the attack, and the curve that the claim allows; the numbers are in audit.csv'}) : null);
}

function reconstruction() {
  const list = audit.reconstruction ?? [];
  if (list.length === 0) return null;
  const heads = ['Variant', 'Steps apart', 'About', 'With the dither', 'Without', 'Noise'];
  const cells = (one) => [one.distance, one.from, show(number(one.rmse)), show(number(one.rmse_without_dither)), showUp(number(one.noise))];
  return h('section', {}, h('h2', {}, 'Reconstruction'), h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Reconstruction'}, h('table', {class: 'data stack'},
    h('caption', {}, 'How far off the observer’s estimate of a node’s value is, in units of the sensitivity: root mean squared error'),
    h('thead', {}, h('tr', {}, heads.map((text, i) => h('th', {scope: 'col', class: i > 0 ? 'number' : null}, text)))),
    h('tbody', {}, list.map((one) => h('tr', {}, h('th', {scope: 'row'}, one.name), cells(one).map((text, i) => h('td', {class: 'number', 'data-label': heads[i + 1]}, String(text)))))))));
}

/** The points of an attack, at most this many, with what their sampling error allows. */
const POINTS = 6;

function points(one) {
  const all = one.evidence?.points ?? [];
  if (all.length === 0) return null;
  const kept = all.length <= POINTS ? all : Array.from({length: POINTS}, (_, i) => all[Math.round(i * (all.length - 1) / (POINTS - 1))]);
  const heads = ['False alarms seen', 'at most', 'Misses seen', 'at most'];
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Sampling error'}, h('table', {class: 'data'},
    h('caption', {}, `Sampling error: shares of ${plural(one.evidence.tested, 'run')} of each of the two, and what they are at most, at a confidence of ${show(one.evidence.confidence)}. What is found is computed from “at most”.`),
    h('thead', {}, h('tr', {}, heads.map((text) => h('th', {scope: 'col', class: 'number'}, text)))),
    h('tbody', {}, kept.map((point) => h('tr', {}, [point.false_positive, point.false_positive_most, point.false_negative, point.false_negative_most]
      .map((part, i) => h('td', {class: 'number', 'data-label': heads[i]}, percentUp(number(part)))))))));
}

/** All audits in one table. */
function overview(rows) {
  const heads = ['Of', 'Observer', 'About', 'Claimed at most', 'Found at least', 'Verdict'];
  const cells = (one) => [observer(one), victim(one), `${symbol(one)} ${showUp(value(one.claim, one.found_at_least_in))}`,
    `${symbol(one)} ${show(value(one.evidence, one.found_at_least_in), 4)}`, one.verdict];
  return h('section', {id: 'all'}, h('h2', {}, 'All audits'),
    h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'All audits'}, h('table', {class: 'data stack'},
      h('thead', {}, h('tr', {}, heads.map((text, i) => h('th', {scope: 'col', class: i > 0 && i < 5 ? 'number' : null}, text)))),
      h('tbody', {}, audit.audits.map((one) => h('tr', {}, h('th', {scope: 'row'}, title(one)),
        cells(one).map((text, i) => h('td', {class: i < 4 ? 'number' : null, 'data-label': heads[i + 1]}, String(text)))))))),
    h('p', {class: 'pager'}, saving('audits.csv', rows)));
}

const glossary = () => h('section', {id: 'glossary'}, h('h2', {}, 'Words'), h('dl', {class: 'assumptions'},
  words.auditGlossary(audit.audits[0]?.adjacency).flatMap(([term, meaning]) => [h('dt', {}, term), h('dd', {}, meaning)])));

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
      overview(rows), glossary()),
  ];
}
