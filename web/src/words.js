// What the numbers mean, in words for a reader who must decide and not compute.
import {h, number, percentUp, show, showUp} from './dom.js';
import {nodeName, summary} from './folder.js';
import {sentencesOf} from './unit.js';

const tasks = {
  mean: 'compute the mean of their private values',
  sum: 'add up their private values',
  histogram: 'count how their private values are distributed',
  logistic: 'learn a model from their private rows (logistic regression)',
  ridge: 'learn a model from their private rows (ridge regression)',
  softmax: 'learn a model of several classes from their private rows (softmax regression)',
  account: 'compute together',
};

const ways = {
  averaging: 'gossip: in every round each node averages with its neighbours',
  'random-averaging': 'gossip: in every round one pair of neighbours averages',
  stream: 'gossip of a stream: new values enter while the rounds go on',
  'gossip-sgd': 'gossip learning: a gradient step and a gossip round in turn',
  'async-gossip-sgd': 'gossip learning: one pair of neighbours at a time',
  'muffliato-sgd': 'gossip learning: a gradient step, then several gossip rounds',
  walk: 'a token that walks from node to node',
  'weighted-walk': 'a token that walks from node to node, with weighted steps',
  'ring-sum': 'a token that goes round the ring and adds up',
  'ring-histogram': 'a token that goes round the ring and counts',
  'complete-sum': 'a token that jumps to random nodes and adds up',
  'complete-histogram': 'a token that jumps to random nodes and counts',
};

const seen = {
  neighbours: 'Every message that it sends or receives, and every message of its neighbours.',
  sum: 'Its own messages and the last sum that it receives (a secure sum hides single messages).',
  everything: 'Every message of every node, as an eavesdropper on the whole network would.',
};

const walks = 'Later steps never amplify an earlier difference, nodes keep no memory, and the path does not depend on private data.';
const tokens = 'What a node contributes does not depend on tokens that it has seen.';
const further = {
  walk: walks,
  'weighted-walk': `${walks} The transition matrix of the walk is public.`,
  'ring-sum': tokens, 'ring-histogram': tokens, 'complete-sum': tokens, 'complete-histogram': tokens,
  stream: 'What a node adds does not depend on what it has seen.',
};

/** What one protocol's account assumes besides, or undefined. */
export const also = (variant) => (variant.guarantee.bound === 'local' || variant.guarantee.bound === 'everything' ? undefined : further[variant.protocol]);

export const task = () => tasks[summary.task] ?? tasks.account;
export const way = (protocol) => ways[protocol] ?? protocol;
/** What a protocol counts: a token on a graph moves in steps, on a ring it goes round, all others have rounds. */
export const counted = (protocol) => (/^(weighted-)?walk$|^complete-/.test(protocol) ? 'step' : 'round');
export const sees = (threat) => seen[threat.sees] ?? (threat.sees ? `It sees ${threat.sees}.` : 'Not recorded.');

export function who(threat, nodes, pairs) {
  if (pairs?.coalition) return `${pairs.coalition.length} nodes that collude: ${pairs.coalition.join(', ')}.`;
  if (threat.pool > 1) return `Any ${threat.pool} of the ${nodes} nodes, who collude. A number about two nodes is what the one learns of the other together with those that it colludes with.`;
  if (!Array.isArray(threat.to)) return `Each of the ${nodes} nodes, by itself. They do not collude.`;
  return threat.to.length === 1
    ? `Node ${threat.to[0]}, one of ${nodes}. Nothing is said about what the others learn.`
    : `${threat.to.length} nodes of ${nodes}, each by itself: they do not collude. Nothing is said about what the others learn.`;
}

export const whatOf = (threat) => sentencesOf(threat.adjacency).learnt;

export function ownNoise(threat) {
  return threat.own_noise === 'counts'
    ? 'The noise that an observer added itself is taken to protect the others from it, too.'
    : 'An observer knows the noise that it added itself; only the noise of others protects from it.';
}

export function released(threat) {
  return !threat.released || threat.released === 'nothing at the end'
    ? 'Nothing: results stay with the nodes that hold them. Handing one out is a release of its own and not covered.'
    : `Covered: ${threat.released}.`;
}

/** What an estimate is from, or null: drawn observers or sources stand for all. */
export function estimate(guarantee) {
  const part = (drawn, what) => (drawn && drawn.drawn < drawn.of ? `${drawn.drawn} of ${drawn.of} ${what}` : null);
  const from = [part(guarantee.observers, 'observers, drawn at random,'), part(guarantee.sources, 'nodes whose data they see, drawn at random,')].filter(Boolean).join(' and ');
  if (from === '' && !guarantee.estimate) return null;
  const {low, high} = guarantee.interval ?? guarantee.estimate ?? {};
  const between = low !== undefined && high !== undefined ? ` It lies between ${show(number(low))} and ${showUp(number(high))}, as far as one can tell.` : '';
  return `${from === '' ? 'Drawn pairs' : from} stand for all. Other pairs may be worse, and the mean over all is not exactly this one.${between}`;
}

/** The bound's standing: {sound, text}. */
export function standing(guarantee) {
  if (!guarantee.sound && estimate(guarantee)) {
    return {sound: false, text: `“${guarantee.bound}” of drawn pairs: an estimate. ${estimate(guarantee)}`};
  }
  if (!guarantee.sound) {
    return {sound: false, text: `“${guarantee.bound}” is a published formula or a lower bound: the true loss can be larger.`};
  }
  return {
    sound: true,
    text: `The number is an upper bound: what an observer learns is never more. ${guarantee.certified
      ? 'Each step of the computation was rounded up, so that rounding cannot make it too small.'
      : `It is not certified, since rounding on the way was not controlled (${guarantee.reason ?? 'computed in floating point'}). The conversion to epsilon is rounded up.`} The account is called “${guarantee.bound}”.`,
  };
}

/** What the rounds leave of pairwise noise: known from the network, the noise and the rounds alone. */
export function left(variant) {
  const {mean, worst, node, most} = variant.guarantee.pairs.left;
  if (worst === null || worst === undefined) return 'How much of it the rounds leave in the results is not known here.';
  const at = node === null || node === undefined ? 'at most ' : '', who = at ? 'any node' : `the worst node (${nodeName(variant, node)})`;
  const result = {mean: 'mean', sum: 'sum', histogram: 'histogram', account: 'result'}[summary.task] ?? 'model';
  if (number(worst) === 0) return `Nothing: the pairwise noise cancels in the ${result} at every node.`;
  const says = `The rounds leave some of it in the ${result}. Beside the noise that the nodes’ own noise leaves there, it is ${at}${showUp(number(worst))} times as large at ${who}, and ${at}${showUp(number(mean))} times over all nodes.`;
  return number(worst) > most ? `${says} It has not cancelled: the result errs by as much. More rounds, or less pairwise noise, would help.` : says;
}

/** What no number on the page speaks about. */
export function uncovered(variant) {
  const {threat, pairs} = variant;
  const limited = together(variant).why ? '' : ' The number for nodes that work together limits them, too.';
  const learns = ['logistic', 'ridge', 'softmax'].includes(summary.task);
  return [
    `${pairs?.coalition ? 'Observers outside the coalition who join it' : threat.pool > 1 ? `More than ${threat.pool} nodes that collude` : 'Nodes that work together: they learn more than any one of them'}.${limited}`,
    ...(threat.sees === 'everything' || limited ? [] : ['Outsiders who read the network’s traffic.']),
    'Nodes that do not follow the protocol.',
    'Which nodes exist, who is connected to whom, the rounds and the noise level: all of this is public.',
    learns ? 'Preparing the data: the means and deviations that standardise the rows are not private.'
      : 'How the range of the values was chosen: it must not come from the private values themselves.',
    'Other releases about the same people: their losses add up (netdp convert composes them).',
    'Noise as computers draw it: the account is of real numbers, and a deployment must not send plain floating-point noise.',
  ];
}

/** The logarithm of the normal tail P(Z > z), z >= 0. */
function logTail(z) {
  if (z < 3) {
    let term = z, sum = z;
    for (let k = 1; k < 200 && term > 1e-18; k++) sum += term *= z * z / (2 * k + 1);
    return Math.log(0.5 - sum * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI));
  }
  let fraction = z;
  for (let k = 60; k >= 1; k--) fraction = z + k / fraction;
  return -z * z / 2 - Math.log(fraction * Math.sqrt(2 * Math.PI));
}

const logNormal = (x) => (x < 0 ? logTail(-x) : Math.log1p(-Math.exp(logTail(x))));

/** delta(epsilon) of Gaussian differential privacy with mu. */
const gaussianDelta = (mu, epsilon) =>
  Math.exp(logNormal(mu / 2 - epsilon / mu)) - Math.exp(epsilon + logNormal(-mu / 2 - epsilon / mu));

/** The mu whose (epsilon, delta) is this; from above. */
function muOf(epsilon, delta) {
  let low = 0, high = 1;
  while (gaussianDelta(high, epsilon) < delta && high < 1e6) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (gaussianDelta(middle, epsilon) < delta) low = middle;
    else high = middle;
  }
  return high;
}

const FALSE_ALARMS = 0.05;
const QUANTILE = -1.6448536269514722;
const gaussianPower = (mu) => Math.exp(logNormal(QUANTILE + mu));

/**
 * The most that any test with 5 % false alarms can detect; NaN where the unit does not say. What is
 * Gaussian has no more than its mu allows; anything with an (epsilon, delta) no more than that.
 */
export function power(unit, value, gaussian) {
  if (value === Infinity) return 1;
  if (unit.kind === 'gdp') return gaussianPower(value);
  if (unit.kind !== 'dp') return NaN;
  const delta = unit.parameter;
  const most = Math.max(FALSE_ALARMS, Math.min(1, Math.exp(value) * FALSE_ALARMS + delta,
    1 - Math.exp(-value) * (1 - delta - FALSE_ALARMS)));
  return gaussian ? Math.min(most, gaussianPower(muOf(value, delta))) : most;
}

/** What a test with that power means, for somebody who must decide. */
export function finding(part, adjacency, average = false) {
  const {second} = sentencesOf(adjacency), test = `${average ? 'On average over pairs, a' : 'A'} test with 5 % false alarms`;
  if (part >= 0.995) return `The bound rules out nothing. ${test} might recognise ${second} almost every time.`;
  const most = `${test} recognises ${second} in at most ${percentUp(part)} of the cases`;
  if (part > 0.5) return `${most}: little protection.`;
  return part > 0.1 ? `${most}; guessing does in 5 %.` : `${most}: close to guessing, which does in 5 %.`;
}

/** What the number "noise" of a variant is. */
export function noiseOf(name, protocol, mechanism) {
  if (name !== 'central' && /-histogram$/.test(protocol)) return 'probability of a random answer';
  return mechanism === 'laplace' ? 'scale of Laplace noise in units of the sensitivity' : 'sigma in units of the sensitivity';
}

/** The words of the page, for readers of another field: [term, meaning], by what is protected. */
export function glossary(adjacency) {
  const unit = sentencesOf(adjacency);
  return [
    ['ε, epsilon, and δ, delta', `Whatever an observer sees, the odds that it gives to ${unit.two} change by a factor of at most e to the ε, except with a probability of about δ. Smaller is better; ε = 0 tells nothing.`],
    ['μ, Gaussian differential privacy', `Telling ${unit.contents} apart is as hard as telling two normal distributions apart whose means are μ standard deviations from each other.`],
    ['Rényi loss, order α', `Another measure of how far an observer’s views of ${unit.contents} lie apart; netdp convert turns it into ε and δ.`],
    ['Loss', 'What a pair leaks, in units in which a single contribution, seen with its own noise alone, has 1.'],
    ['Observer, pair', `The node that tries to learn, and ${unit.whose}. Each ordered pair has its own ε.`],
    ['Worst pair, mean', 'The largest ε of all pairs, and the average over them. A target for the mean lets some pairs have more.'],
    ['Target', 'The ε that was asked for; the noise was chosen so that the mean, or the worst pair, meets it.'],
    ['Sensitivity', unit.sensitivity],
    ['Noise', 'The standard deviation of what a node adds to each contribution, in units of the sensitivity; of Laplace noise its scale. Of histograms by a token: the probability of a random answer.'],
    ['Dither', 'Small fresh noise in every message, so that later rounds tell nothing beyond the first ones.'],
    ['Pairwise noise, anonymity set', 'Noise that two nodes share: one adds it, the other subtracts it, so that it cancels in the sum. The anonymity set of a node is all nodes that are linked to it by such noise which the observer does not know: it cannot tell the node from them.'],
    ['Weights', 'How much of a neighbour’s value enters a node’s new value. Metropolis weights: 1 / (1 + the larger number of neighbours of the two), and the rest for its own value.'],
    ['Seed', 'The number from which a simulation draws all that is random. Whoever has it can draw the same noise again and remove it; between real machines there is none.'],
    ['Steps apart', 'How many edges lie between two nodes: 1 for neighbours.'],
    ['Round, step', 'A round: every node sends to its neighbours once. A step: a token moves once.'],
    ['Gossip, walk, token', 'Gossip: all nodes average with their neighbours. A token is a message that walks from node to node and is changed on the way.'],
    ['Upper bound, sound', 'The true ε is never larger. What is not sound may be smaller than the truth, and is no guarantee.'],
    ['Certified', 'An upper bound in every digit: all rounding was outward. Without it, floating-point rounding is not accounted for.'],
    ['Estimate', 'From some observers or nodes, drawn at random, instead of all: no guarantee about the others.'],
    ['central', 'What a trusted aggregator would do: it adds noise once, at the study’s (ε, δ): Gaussian noise, or beside a token the better of Gaussian and Laplace noise.'],
    ['local', 'Every node adds enough noise by itself, as if everybody read every message.'],
    ['A test with 5 % false alarms', `An observer must say ${unit.either} and may be wrong in 5 % of the cases where the first is true. It recognises the second in as many cases as it is right where the second is true. Without knowing anything: 5 %.`],
  ];
}

/** The words of the page of an audit. */
export function auditGlossary(adjacency) {
  const unit = sentencesOf(adjacency);
  return [
    ['Audit', `A program plays the observer against the simulator: it sees what an observer sees, and must say ${unit.either}. An audit can show that a claim is false. It cannot show that a claim is true.`],
    ['Claimed at most', 'What the account says that any observer can learn: an upper bound, where it is sound.'],
    ['Found at least', 'What this attack proves that an observer can learn, at the confidence. If the claim is true, the truth lies between the two.'],
    ['False alarm, miss', 'The attack says the second where the first is true; or the first where the second is true.'],
    ['Sampling error', 'The attack ran finitely often, so that its shares are uncertain. “At most” is the upper end of an exact interval for a share (Clopper and Pearson).'],
    ['Confidence', 'How often, at least, an audit of a true claim does not refute it by chance.'],
    ['Verdict', 'Refuted: more was found than claimed. Consistent: less was found. Not enough runs: with these runs no attack could refute the claim.'],
    ['ε, epsilon, and δ, delta', `Whatever an observer sees, the odds that it gives to ${unit.two} change by a factor of at most e to the ε, except with a probability of about δ.`],
    ['μ, Gaussian differential privacy', `Telling ${unit.contents} apart is as hard as telling two normal distributions apart whose means are μ standard deviations from each other.`],
    ['Dither', 'Small fresh noise in every message, so that later rounds tell nothing beyond the first ones.'],
    ['Steps apart', 'How many edges lie between the observer and the node that it learns about.'],
  ];
}

const BILLION = Math.log(1e9);

function odds(value) {
  const factor = Math.exp(value);
  return `${factor < 1e6 ? showUp(factor, factor < 1000 ? 3 : 4) : showUp(factor, 2)} : 1`;
}

/** What an epsilon allows, of even odds. */
export function allowed(value) {
  if (value === Infinity) return 'Nothing bounds the odds';
  return value > BILLION ? 'Odds 1 : 1 may pass a billion : 1' : `Odds 1 : 1 become at most ${odds(value)}`;
}

/** The symbol and the words of a unit. */
export function measure(unit) {
  switch (unit.kind) {
    case 'dp': return {symbol: 'ε', name: 'epsilon', at: `at δ = ${show(unit.parameter)}`};
    case 'rdp': return {symbol: 'ε', name: 'Rényi epsilon', at: `of order α = ${show(unit.parameter)}`};
    case 'gdp': return {symbol: 'μ', name: 'mu', at: 'of Gaussian differential privacy'};
    default: return {symbol: 'loss', name: 'loss', at: ', where 1 is what a single contribution gives away through its own noise alone'};
  }
}

/** The heading of what is drawn against distance. */
export function against(unit) {
  const {name} = measure(unit);
  return `${name[0].toUpperCase()}${name.slice(1)} against distance`;
}

/** One paragraph on how to read the numbers. */
export function reading(unit, worst, adjacency) {
  const of = sentencesOf(adjacency);
  if (unit.kind === 'dp') {
    return [`Suppose an observer finds ${of.finds}: odds 1 : 1. Whatever it then sees moves these odds to at most e`,
      h('sup', {}, 'ε'), ` : 1, except with a probability of about δ = ${show(unit.parameter)}. For the worst pair here ${worst === Infinity ? 'there is no such bound' : worst > BILLION ? 'that is more than a billion : 1' : `that is ${odds(worst)}`}. With ε = 0 nothing at all is learnt.`];
  }
  if (unit.kind === 'rdp') return [`Rényi epsilon bounds how far apart an observer’s views of ${of.two} can be, of order ${show(unit.parameter)}. 0 means that nothing is learnt; netdp convert turns it into an (ε, δ).`];
  if (unit.kind === 'gdp') return [`Telling ${of.two} apart is as hard as telling a normal distribution with mean 0 from one with mean μ. 0 means that nothing is learnt.`];
  return ['1 is what a single contribution gives away through its own noise alone, as if everyone saw it. 0 means that nothing is learnt.'];
}

export const worstOf = (guarantee) => number(guarantee.worst?.epsilon ?? guarantee.epsilon);

/** Whom the worst pair's number is for. */
export function whose({threat, pairs}) {
  if (pairs?.coalition) return `this coalition of ${pairs.coalition.length} nodes`;
  return threat.pool > 1 ? `any ${threat.pool} nodes that collude` : 'one node by itself';
}

/**
 * What any nodes that work together learn of another one, whoever they are and whatever else they read: what its own noise
 * alone leaves, the account's "local". {value}, or {why} where there is no such number.
 */
export function together({guarantee}) {
  if (estimate(guarantee)) return {why: 'some nodes were drawn at random, and the others may have less noise of their own'};
  if (!guarantee.sound) return {why: 'the bound is no upper bound'};
  const local = number(guarantee.local ?? NaN);
  if (Number.isNaN(local)) return {why: 'this result folder does not have one'};
  return local === Infinity ? {why: 'a node’s own noise alone sets no limit here'} : {value: Math.max(local, worstOf(guarantee))};
}

/** The same in a sentence or two. */
export function ifTogether(variant) {
  const {value, why} = together(variant), worst = worstOf(variant.guarantee), {name} = measure(variant.unit);
  const inOdds = variant.unit.kind === 'dp' && !why ? ` ${allowed(value)}.` : '';
  if (why) return `If nodes work together: no number is given, since ${why}. The limit of ${showUp(worst)} is for ${whose(variant)}.`;
  const most = `If nodes work together: at most ${name} = ${showUp(value)}, what a node’s own noise alone leaves.`;
  return value > worst * (1 + 1e-9) ? `${most}${inOdds} The limit of ${showUp(worst)} is for ${whose(variant)}.`
    : `${most}${inOdds} This is no more than the limit for ${whose(variant)}.`;
}

/** Towards somebody who reads the whole network: a clause. */
export function ifAllIsRead(variant) {
  const {value, why} = together(variant), {name} = measure(variant.unit);
  const who = `someone who reads every message${variant.guarantee.pairs ? ' and knows all pairwise noise' : ''}`;
  return why ? `no number is given for ${who}, since ${why}.` : `${who} is limited by ${name} = ${showUp(value)} only.`;
}

/** The fresh noise of later messages, and whether the limit rests on it; null where the protocol has none. */
export function dither({told, guarantee, protocol}) {
  if (!/averaging$|^muffliato-/.test(protocol) || typeof told.dither !== 'number') return null;
  const {dither, dither_decay: decay = 0, end_dither: end = 0} = told;
  if (dither === 0 && end === 0) return 'None: every message counts as seen by everybody.';
  const size = (part) => `${show(part)} times the noise of a contribution`;
  const later = `Fresh noise in each later message: ${size(dither)}${decay === 0 ? '' : `, divided by t${decay === 1 ? '' : ` to the power ${show(decay)}`} in round t`}. `;
  const last = `Fresh noise in each result of a phase: ${size(end)}. `;
  const rests = !guarantee.sound ? '' : ['local', 'everything'].includes(guarantee.bound) ? 'The limit does not rest on it: every message counts as seen.'
    : `The limit of ${showUp(worstOf(guarantee))} rests on it: without a dither every message would count as seen.`;
  return `${dither === 0 ? '' : later}${end === 0 ? '' : last}${rests}`.trim();
}
