import type { HeadState } from '../../head.js';
import type { Random } from '../../random.js';
import { joinStates, partOfState } from '../states.js';
import { FullWeights } from '../weights/full-weights.js';
import type { AdapterWeights } from './adapter-weights.js';
import type { CrfLearner } from './learner.js';

/** Weights that are trained, what trains them, and the generator of both. */
export interface Member {
  readonly weights: AdapterWeights;
  readonly learner: CrfLearner;
  readonly random: Random;
}

/**
 * Learners that differ by their generator alone: in the order of rows and in the features left out. Scores are linear in full weights,
 * so that the mean of these scores as all members do together, at the size and cost of one (Wortsman et al. 2022, "Model soups").
 */
export class AveragedLearner {
  /** Made when first asked for after a step. */
  private mean: Omit<Member, 'random'> | null = null;

  /**
   * @param members one, or several of full weights
   * @param createLearner which judges rows by the weights
   */
  constructor(
    private readonly members: readonly [Member, ...Member[]],
    private readonly createLearner: (weights: AdapterWeights) => CrfLearner,
  ) {}

  get stepsPerEpoch(): number {
    return this.members[0].learner.stepsPerEpoch;
  }

  /** @returns mean loss of a row, which is the mean of the members' */
  step(rate: number): number {
    this.mean = null;
    return this.members.reduce((sum, { learner }) => sum + learner.step(rate) / this.members.length, 0);
  }

  /** The mean of the members; not to be trained. */
  trained(): Omit<Member, 'random'> {
    if (this.members.length === 1) return this.members[0];
    return (this.mean ??= this.average());
  }

  private average(): Omit<Member, 'random'> {
    const weights = FullWeights.mean(this.members.map((member) => member.weights as FullWeights));
    const learner = this.createLearner(weights);
    for (const { learner: own } of this.members)
      own.transitions.forEach((weight, k) => (learner.transitions[k]! += weight / this.members.length));
    return { weights, learner };
  }

  saveState(): HeadState {
    const states = this.members.map(({ weights, learner, random }, k) => {
      const parts = joinStates({ weights: weights.saveState(), learner: learner.saveState() });
      return [`${k}`, { config: parts.config, tensors: { random: random.save(), ...parts.tensors } }] as const;
    });
    return joinStates(Object.fromEntries(states));
  }

  restoreState(state: HeadState): void {
    this.mean = null;
    this.members.forEach(({ weights, learner, random }, k) => {
      const own = partOfState(state, `${k}`)!;
      random.restore(own.tensors['random']!);
      weights.restoreState(partOfState(own, 'weights')!);
      learner.restoreState(partOfState(own, 'learner')!);
    });
  }
}
