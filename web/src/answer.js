// The first screen: who could learn what about whom, and under which assumptions.
import {above} from './above.js';
import {count, h, number, percentUp, plural, showUp} from './dom.js';
import {isBaseline, nodeName, page, readUnit, simulation, summary} from './folder.js';
import {capital, protectedOf, sentencesOf} from './unit.js';
import * as words from './words.js';

/** What the best test finds, of one pair's value. */
const powerOf = (variant, value) => words.power(variant.unit, value, variant.pairs?.gaussian);

/** The same as a mean over all pairs; NaN where the page has not all of them. */
function meanPower(variant) {
  const {pairs} = variant;
  if (!pairs?.complete) return NaN;
  const known = new Map();
  let sum = 0, all = 0;
  for (const value of pairs.value) {
    if (Number.isNaN(value)) continue;
    if (!known.has(value)) known.set(value, powerOf(variant, value));
    sum += known.get(value);
    all++;
  }
  return sum / all;
}

function tile(variant, title, value, power, below, odds = true) {
  const unit = words.measure(variant.unit);
  const told = Number.isNaN(power) ? [] : [
    h('span', {class: 'bar', role: 'img', 'aria-label': `${percentUp(power)} on a scale from 0 to 100 %`},
      h('span', {style: `width: ${(100 * power).toFixed(1)}%`})),
    h('p', {}, words.finding(power, variant.threat.adjacency, !odds))];
  return h('li', {class: 'tile'}, h('h3', {}, title),
    h('p', {class: 'big'}, `${unit.symbol} ${showUp(value)}`),
    variant.unit.kind === 'dp' && odds ? h('p', {}, words.allowed(value)) : null,
    told, h('p', {class: 'muted'}, below));
}

function tiles(variant) {
  const {guarantee, classes} = variant;
  const worst = guarantee.worst;
  const value = words.worstOf(guarantee);
  const made = [];
  if (worst) {
    made.push(tile(variant, 'Worst pair', value, powerOf(variant, value),
      `${nodeName(variant, worst.to)} about ${nodeName(variant, worst.from)}`));
  }
  const pairs = classes.reduce((sum, one) => sum + one.pairs, 0);
  made.push(tile(variant, 'On average over pairs', number(guarantee.mean), meanPower(variant),
    words.estimate(guarantee) ? `an estimate from ${plural(pairs, 'pair')}` : `on average over ${plural(pairs, 'pair')}; a single pair may be higher, at most ${showUp(value)}`, false));
  if (classes.length > 1) {
    const near = classes[0], far = classes[classes.length - 1];
    made.push(tile(variant, near.distance === 1 ? 'Direct neighbours' : `At distance ${near.distance}`, near.max, powerOf(variant, near.max),
      `the worst of ${plural(near.pairs, 'pair')}`));
    made.push(tile(variant, `Farthest, ${far.distance} steps away`, far.max, powerOf(variant, far.max), `the worst of ${plural(far.pairs, 'pair')}`));
  }
  return h('ul', {class: 'tiles'}, made);
}

/** "node 3", or of a whole class of equal cases. */
function sentence(variant) {
  const {guarantee, classes, threat} = variant;
  const unit = words.measure(variant.unit);
  const worst = words.worstOf(guarantee);
  const strong = (value) => h('strong', {}, `${unit.symbol} = ${showUp(value)}`);
  const observer = variant.pairs?.coalition ? 'The coalition' : threat.pool > 1 ? `Any ${threat.pool} nodes that collude` : Array.isArray(threat.to) ? 'An observer' : 'Any single node';
  const parts = worst === Infinity
    ? [`${observer} could learn any amount about ${words.whatOf(threat)}, `, strong(worst), ', in the worst case']
    : [`${observer} could learn something about ${words.whatOf(threat)}, at most `, strong(worst), ' in the worst case'];
  if (guarantee.worst) parts.push(`: ${nodeName(variant, guarantee.worst.to)} about ${nodeName(variant, guarantee.worst.from)}`);
  parts.push('. Over the pairs the mean is ', strong(number(guarantee.mean)));
  if (classes.length > 1) {
    const far = classes[classes.length - 1];
    parts.push(`. A node ${far.distance} steps away could learn at most `, strong(far.max));
  }
  parts.push(` (${unit.at}).`);
  return parts;
}

function baselines(variant) {
  const kept = summary.variants.filter((one) => isBaseline(one.name));
  if (kept.length < 2) return null;
  const {at} = words.measure(readUnit(kept[0].guarantee));
  const [central, local] = ['central', 'local'].map((name) => number(kept.find((one) => one.name === name)?.guarantee.epsilon ?? NaN));
  return h('p', {class: 'muted small', id: 'baselines'},
    'For comparison (', at, '): another study, with a trusted aggregator (row ', h('em', {}, 'central'), `), would give ${showUp(central)} towards everyone else from one release. Another study, in which each node adds noise for itself (row `,
    h('em', {}, 'local'), `), would give ${showUp(local)} towards anyone. In this one, ${words.ifAllIsRead(variant)}`);
}

/** For whom the page is, and what its noise is worth. */
export const warnings = () => [
  page.private ? h('div', {class: 'alarm', role: 'note'}, h('strong', {}, 'For the experimenter alone. '), 'This page holds what was computed from the data without noise, and the seed that removes the noise. Do not pass it on; without --private, netdp report makes a page for others.') : null,
  simulation ? h('p', {class: 'note', id: 'simulation'}, h('strong', {}, simulation[0].toUpperCase() + simulation.slice(1)), '. The seed is the number from which all its noise is drawn. A result that leaves the machine needs noise from a secret source.') : null,
];

export function answer(variant) {
  const {guarantee, target} = variant;
  const stand = words.standing(guarantee);
  const worst = words.worstOf(guarantee);
  const estimate = words.estimate(guarantee);
  return [
    warnings(),
    estimate ? h('div', {class: 'alarm', role: 'note'}, h('strong', {}, 'An estimate, not a guarantee. '), estimate)
      : stand.sound ? null : h('div', {class: 'alarm', role: 'note'}, h('strong', {}, 'Not a guarantee. '), stand.text,
        ' The numbers below describe what a paper computes; they protect nobody.'),
    h('p', {class: 'lead'}, estimate ? ['By this estimate: ', sentence(variant)] : stand.sound ? sentence(variant) : ['By this formula: ', sentence(variant)]),
    guarantee.why ? h('p', {class: 'note'}, `Accounted for as local privacy: ${guarantee.why}`) : null,
    h('p', {class: 'note', id: 'together'}, words.ifTogether(variant)),
    above(variant),
    (variant.told.remarks ?? []).filter((text) => stand.sound || !/not an upper bound/i.test(text)).map((text) => h('p', {class: 'note'}, `${text[0].toUpperCase()}${text.slice(1)}.`)),
    tiles(variant),
    Number.isNaN(powerOf(variant, worst)) ? null : h('p', {class: 'muted small'}, `A test: an observer must say ${sentencesOf(variant.threat.adjacency).say}. It may raise a false alarm in 5 % of the cases. The bars show how often the best test is right where the second is true, at most.`,
      variant.pairs?.gaussian ? null : ' Here the bound follows from ε and δ alone and is coarse: it is not to be compared with that of variants whose losses are Gaussian.'),
    h('h3', {}, `What ${words.measure(variant.unit).symbol} means`),
    h('p', {}, words.reading(variant.unit, worst, variant.threat.adjacency)),
    baselines(variant),
  ];
}

export function assumptions(variant) {
  const {threat, known, guarantee, pairs} = variant;
  const rows = [
    ['Who observes', words.who(threat, count(known.nodes), pairs)],
    ['Nodes that work together', words.ifTogether(variant)],
    ['Who listens to all messages', capital(words.ifAllIsRead(variant))],
    ['What an observer sees', words.sees(threat)],
    ['Its own noise', words.ownNoise(threat)],
    ['How nodes behave', 'Every node follows the protocol and remembers all it sees.'],
    ['What is protected', protectedOf(threat.adjacency)],
    ['What is released', words.released(threat)],
    ['Everyone may know', `The graph (${known.origin}, ${plural(known.nodes, 'node')}, ${plural(known.edges, 'edge')}), the weights of its edges (${variant.mixing ?? 'not recorded'}), the number of rounds and the noise level.`],
    ...(words.dither(variant) ? [['Dither', words.dither(variant)]] : []),
    ...(guarantee.pairs ? [['Pairwise noise', `Noise that two nodes share: one adds it, the other subtracts it. ${guarantee.pairs.says}`]] : []),
    ...(guarantee.pairs?.left ? [['Left of the pairwise noise', words.left(variant)]] : []),
    ...(words.also(variant) ? [['Also assumed', words.also(variant)]] : []),
    ['How it is computed', words.standing(guarantee).text],
  ];
  return [
    h('dl', {class: 'assumptions'}, rows.map(([term, text]) => [h('dt', {}, term), h('dd', {}, text)])),
    h('h3', {}, 'Not covered'),
    h('ul', {class: 'plain'}, words.uncovered(variant).map((text) => h('li', {}, text))),
  ];
}
