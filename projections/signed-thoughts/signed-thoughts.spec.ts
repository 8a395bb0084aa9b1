import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { at } from '#test/support/training-events.js';
import { signedThoughts } from './projection.js';

describe('the read model of signed thinking', () => {
  it("finds a workspace's blocks by the tool call that they precede, and none of other calls", async () => {
    const content = { input: {}, output: null, errorMessage: null };
    const thoughts = {
      ...{ toolCallId: 'toolu_1', provider: { name: 'claude', model: 'claude-1' } },
      parts: [{ text: 'Hm', signature: 'c2ln', redacted: false }],
    };
    const documents = await expectLiveEqualsRebuilt(signedThoughts, [
      { type: 'call-content.v1', data: { inferenceId: 'i1', workspaceId: 'w1', content, thoughts } },
      { type: 'call-content.v1', data: { inferenceId: 'i2', workspaceId: 'w1', content } },
    ]);
    expect([...documents]).toEqual([['w1/toolu_1', { id: 'w1/toolu_1', inferenceId: 'i1', ...thoughts }]]);
    const erased = (inferenceId: string) => ({
      type: 'call-content-erased.v1' as const,
      data: { ...{ inferenceId, workspaceId: 'w1', toolCallId: 'toolu_1' }, objectKey: null, erasedAt: at(1) },
    });
    const said = {
      type: 'call-content.v1' as const,
      data: { inferenceId: 'i1', workspaceId: 'w1', content, thoughts },
    };
    expect((await expectLiveEqualsRebuilt(signedThoughts, [said, erased('i2')])).size).toBe(1);
    expect((await expectLiveEqualsRebuilt(signedThoughts, [said, erased('i1')])).size).toBe(0);
  });
});
