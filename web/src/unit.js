// What is protected, in every sentence of the page that says so: one table, a column for each unit. Nothing else on the
// page names the unit, so that no sentence can speak of another one than the guarantee does.

/** A reader's own word for a row, such as "one patient's record at one hospital", is told by the adjacency itself. */
const units = {
  node: {
    protected: 'A node’s whole data: as if all of it were replaced by any other admissible data.',
    learnt: 'another node’s data',
    whose: 'the node whose data it is about',
    two: 'two possible contents of a node’s data',
    say: 'which of two possible contents a node’s data has; it may know the data of all others',
    finds: 'two possible contents of a node’s data equally likely, and knows the data of all others',
    second: 'the second of two contents',
    contents: 'two contents',
    either: 'which of two contents is true',
    sensitivity: 'The most that replacing a node’s data can change what the node sends. Noise is told in this unit.',
    runs: 'of each of two possible contents of a node’s data',
  },
  'row/replace': {
    protected: 'How many rows each node holds is public; several rows of one person add up.',
    learnt: 'one row of another node’s data',
    whose: 'the node that holds the row it is about',
    two: 'two possible values of one row',
    say: 'which of two values one row has; it may know all other rows',
    finds: 'two values of one row equally likely, and knows all other rows',
    second: 'the second of two values of the row',
    contents: 'two values of the row',
    either: 'which of two values the row has',
    sensitivity: 'The most that replacing one row can change what its node sends. Noise is told in this unit.',
    runs: 'with each of two possible values of one row',
  },
  'row/add-remove': {
    protected: 'How many rows sums are divided by is public, and stays when a row is there or not; several rows of one person add up.',
    learnt: 'whether one row is among another node’s data',
    whose: 'the node whose rows it is about',
    two: 'a node’s rows with one of them there, and without it',
    say: 'whether one row is there; it may know all other rows',
    finds: 'it equally likely that one row is there and that it is not, and knows all other rows',
    second: 'that the row is not there',
    contents: 'the rows with and without one',
    either: 'whether the row is there',
    sensitivity: 'The most that one row, there or not, can change what its node sends. Noise is told in this unit.',
    runs: 'with one row there, and of as many without it',
  },
};

/** 'node', 'row/replace' or 'row/add-remove', of the words of a threat or of an audit. */
export function unitOf(adjacency) {
  const words = adjacency ?? '';
  if (!words.startsWith('one row')) return 'node';
  return /added or removed/.test(words) ? 'row/add-remove' : 'row/replace';
}

export const capital = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** The column of the table. */
export const sentencesOf = (adjacency) => units[unitOf(adjacency)];

/** The row of the assumptions. */
export function protectedOf(adjacency) {
  const said = sentencesOf(adjacency).protected;
  return unitOf(adjacency) === 'node' ? said : `${capital(adjacency)}. ${said}`;
}
