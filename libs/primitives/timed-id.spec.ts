import { validate, version } from 'uuid';
import { timedId } from './timed-id.js';

test('ids that carry their time are different UUIDs of version 7, in the order of their milliseconds', () => {
  const before = Date.now();
  const ids = Array.from({ length: 1_000 }, timedId);
  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.map((id) => parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(times.every((time, index) => time >= (times[index - 1] ?? before) && time <= Date.now())).toBe(true);
});
