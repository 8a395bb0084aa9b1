import { FairSlots, type FairSlot } from './fair-slots.js';

describe('slots that workspaces share', () => {
  /** Enters, and tells by its name when it runs. */
  const bench = (slots: FairSlots) => {
    const begun: string[] = [];
    const enter = (name: string): FairSlot => {
      const place = slots.enter(name[0]!);
      if (place.given === null) begun.push(name);
      else void place.given.then(() => begun.push(name));
      return place;
    };
    return { begun, enter };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("start waiting work in turns of workspaces, each workspace's oldest first", async () => {
    const { begun, enter } = bench(new FairSlots(1));
    const places = ['a1', 'a2', 'a3', 'b1', 'c1'].map(enter);
    for (const order of [0, 3, 4, 1, 2]) {
      places[order]!.leave();
      await settled();
    }
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('release a place once, even if it is left twice or while waiting', async () => {
    const slots = new FairSlots(1);
    const { begun, enter } = bench(slots);
    const [first, second, third] = ['a1', 'a2', 'a3'].map(enter);
    second!.leave();
    second!.leave();
    expect(slots.lengthOf('a')).toBe(2);
    first!.leave();
    first!.leave();
    await settled();
    enter('a4');
    await settled();
    expect(begun).toEqual(['a1', 'a3']);
    third!.leave();
    await settled();
    expect(begun).toEqual(['a1', 'a3', 'a4']);
  });

  it('keep one free for any newcomer, if so configured', () => {
    const { begun, enter } = bench(new FairSlots(256, { keepsSomeFree: true }));
    const held = (workspace: string) => begun.filter((name) => name[0] === workspace).length;
    for (const workspace of ['a', 'b', 'c', 'd'])
      for (let index = 0; index < 300; index += 1) enter(`${workspace}${index}`);
    expect(['a', 'b', 'c', 'd'].map(held)).toEqual([192, 48, 12, 3]);
    expect(enter('e1').given).toBeNull();
  });

  it('free a slot when its work fails', async () => {
    const slots = new FairSlots(1);
    await expect(slots.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await slots.run('b', async () => 1)).toBe(1);
  });
});
