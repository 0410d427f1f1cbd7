// "Check a number here": a proof file of the reader's disk, checked in this page. Nothing leaves it.
import {h} from './dom.js';
import {verify} from './verify.js';

export function check() {
  const result = h('div', {id: 'checked', role: 'status'});
  const chooser = h('input', {type: 'file', id: 'proof', accept: '.proof,text/plain', onchange: async () => {
    const file = chooser.files[0];
    if (!file) return;
    const said = verify(await file.text());
    result.replaceChildren(...(said.holds ? said.answers.map((answer) => h('p', {}, answer))
      : [h('p', {}, `Line ${said.line} fails: ${said.why}.`)]));
  }});
  return [
    h('p', {}, 'Choose a proof file (netdp loss --proof). This page checks it in exact fractions, as netdp-verify does; it needs no network.'),
    h('p', {}, h('label', {for: 'proof'}, 'Proof file '), chooser), result];
}

// For tests.
globalThis.netdpVerify = verify;
