import { drain } from '../../../steps.js';
import { groupEncoder } from '../../text-encoder.fixture.js';
import { NameVectors } from './name-vectors.js';

describe('vectors of label names', () => {
  it('depend only on the name and description, not on labels requested before', () => {
    const read: string[] = [];
    const names = new NameVectors(groupEncoder([], read));
    drain(names.over(['?. !'], false));
    drain(names.over(['?'], false, new Map([['?', '!']])));
    expect(read).toEqual(['?. !', '?', '!', '?. !']);
    drain(names.over(['?. !'], false));
    drain(names.over(['?'], false, new Map([['?', '!']])));
    expect(read).toHaveLength(4);
  });
});
