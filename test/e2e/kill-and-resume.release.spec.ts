import { embedded } from '#test/deployments/embedded.js';
import { whenAllIsKilled } from './kill-and-resume.js';

// A training whose own process is killed: gpu-runner/runner.spec.ts. From each checkpoint: gpu-runner/engines/builtin/training/train.spec.ts.
describe('a training job that is killed halfway resumes from its last checkpoint and makes the same file', () => {
  whenAllIsKilled(embedded);
});
