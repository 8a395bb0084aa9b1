import { Commands } from './commands.js';

interface Work {
  readonly id: string;
  readonly workspaceId: string;
}

describe('commands of a process manager', () => {
  it('start for another workspace at once, even if one has its maximum running', async () => {
    const begun: string[] = [];
    const end = Promise.withResolvers<void>();
    const commands = new Commands<Work>(
      {
        name: 'works',
        key: ({ id }) => id,
        workspaceOf: ({ workspaceId }) => workspaceId,
        execute: ({ id }) => {
          begun.push(id);
          return end.promise;
        },
      },
      () => 0,
      new AbortController().signal,
      () => undefined,
    );
    const many = Array.from({ length: 40 }, (_, index) => ({ id: `a${index}`, workspaceId: 'a' }));
    commands.begin(many);
    expect(begun).toHaveLength(16);
    commands.begin([...many, { id: 'b', workspaceId: 'b' }]);
    expect(begun).toHaveLength(17);
    expect(begun.at(-1)).toBe('b');
    end.resolve();
    await commands.drained();
    expect(commands.runningCount).toBe(0);
  });
});
