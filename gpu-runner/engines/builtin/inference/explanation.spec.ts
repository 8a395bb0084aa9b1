import { ArtifactError } from '../../engine.js';
import { planExplanation } from './explanation.js';

describe('a plan to explain answers', () => {
  const planned = (error: Error) =>
    planExplanation({ datasets: [0] }, ['entities'], {
      byteSize: 1,
      read: () => {
        throw error;
      },
    });

  it('warns if the kept rows are damaged, and the model still answers', () => {
    const plan = planned(new ArtifactError('The training rows are damaged'));
    expect(plan.warnings).toEqual([
      {
        code: 'explanation_unavailable',
        message: expect.stringContaining('that can be read. Train it again') as string,
      },
    ]);
    expect(plan.answer('parcel')).toEqual({});
  });

  it('hides no other error', () => {
    expect(() => planned(new Error('of the disk'))).toThrow('of the disk');
  });
});
