import { embedded } from '#test/deployments/embedded.js';
import { facts } from '#test/support/facts.js';
import { builtin } from '#test/support/runner-bench.js';
import { expectSameFilesAfterKill } from '#test/support/killed-training.js';
import { trips } from '#test/support/trips.js';
import { whenAllIsKilled } from './kill-and-resume.js';

/** So many that the last one is far when the first checkpoint is known of. */
const EPOCHS = 80;

describe('a training job that is killed halfway resumes from its last checkpoint and makes the same file', () => {
  it.each([
    ['of entities and classes', trips(100)],
    ['of structures and relations', facts(100)],
  ])('even if its own process is killed: one %s', async (_, rows) => {
    await expectSameFilesAfterKill(await builtin(), rows, EPOCHS);
  });

  whenAllIsKilled(embedded);
});
