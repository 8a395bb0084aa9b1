import { goldenEvents } from '#test/golden/events.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { generationJobs } from './projection.js';

const story = goldenEvents.filter(({ type }) => type in generationJobs.on);
const after = async (types: number) => [
  ...(await expectLiveEqualsRebuilt(generationJobs, story.slice(0, types))).values(),
];

it('the read model of generation jobs follows one from its request to its version', async () => {
  expect(await after(1)).toMatchObject([
    { status: 'queued', attempt: 0, made: null, versionNumber: null, error: null },
  ]);
  expect(await after(2)).toMatchObject([{ status: 'generating', attempt: 1 }]);
  expect(await after(5)).toMatchObject([
    { status: 'generating', attempt: 1, made: { count: 100, distinctShare: 0.96 } },
  ]);
  expect(await after(7)).toMatchObject([{ status: 'ready', versionNumber: 2 }]);
});
