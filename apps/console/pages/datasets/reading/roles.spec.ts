import { asNumbers, roleOf, withNames, withRole } from './roles.js';

describe('the roles of columns', () => {
  const mapping = { text: 'message', label: 'kind' };

  it('are what the mapping says of a column, and nothing of any other', () => {
    expect(['message', 'kind', 'ticket'].map((column) => roleOf(mapping, column))).toEqual(['text', 'label', '']);
    expect(roleOf({ 'labels.topic': 'topic' }, 'topic')).toBe('task');
  });

  it('are taken from the column that had one before, and given back', () => {
    expect(withRole(mapping, 'ticket', 'text')).toEqual({ label: 'kind', text: 'ticket' });
    expect(withRole(mapping, 'kind', '')).toEqual({ text: 'message' });
    expect(withRole({}, 'message', '')).toEqual({});
  });

  it('let several columns be a task of their own each', () => {
    const topic = withRole(mapping, 'topic', 'task');
    expect(withRole(topic, 'tone', 'task')).toEqual({ ...mapping, 'labels.topic': 'topic', 'labels.tone': 'tone' });
    expect(withRole(topic, 'topic', 'label')).toEqual({ text: 'message', label: 'topic' });
  });
});

describe('the names of class numbers', () => {
  it('are asked of columns whose values are all numbers', () => {
    expect([['0', '1'], [2, 0], ['0', 'late'], [-1], []].map(asNumbers)).toEqual([true, true, false, true, false]);
  });

  it('are given between commas, and none where the field is empty', () => {
    expect(withNames({ tone: ['a'] }, 'kind', ' late, lost ,')).toEqual({ tone: ['a'], kind: ['late', 'lost'] });
    expect(withNames({ kind: ['late'] }, 'kind', ' ')).toEqual({});
  });
});
