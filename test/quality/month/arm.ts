import type { Client } from '#apps/demo/client.js';
import type { Labelled, Round } from './scenario.js';

interface Answer {
  readonly inference_id: string;
  readonly result: { readonly classification: { readonly label: string } };
}
interface BatchAnswer {
  readonly result: readonly Answer['result'][];
}

/** Outcome of an improvement. */
export interface Improvement {
  readonly id: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly gate: {
    readonly rules: readonly { readonly rule: string; readonly label: string | null; readonly passed: boolean }[];
  } | null;
}

const TEXTS_A_CALL = 500;
/** Longer than an improvement takes on a machine that is busy several times over. */
const IMPROVEMENT_SECONDS = 3_600;

/** A named model with a policy of its own, over HTTP. */
export class Arm {
  /** Whether the version in use is right about a text. */
  private right = new Map<string, boolean>();

  private constructor(
    readonly name: string,
    private readonly api: Client,
    private readonly texts: readonly Labelled[],
  ) {}

  /**
   * Names a trained model.
   * @param policy null: the model is never improved
   * @param texts those that it is ever measured on
   */
  static async of(
    api: Client,
    name: string,
    jobId: string,
    policy: object | null,
    texts: readonly Labelled[],
  ): Promise<Arm> {
    await api.post('/models', { name });
    await api.post(`/models/${name}/versions`, { training_job_id: jobId });
    await api.put(`/models/${name}/versions/1/promote`, { reason: 'the first one' });
    if (policy) await api.put(`/models/${name}/policy`, policy);
    const arm = new Arm(name, api, texts);
    arm.right = await arm.answers();
    return arm;
  }

  /** Row by row: 1 where the version in use is right, else 0. */
  rightOn(rows: readonly Labelled[]): readonly number[] {
    return rows.map(({ text }) => Number(this.right.get(text)!));
  }

  /** Calls the model with the traffic of a round, gives the verdicts of the annotator, and improves the model by them. */
  async live({ traffic, verdicts }: Round): Promise<Improvement> {
    const { name, api } = this;
    for (const [index, { text }] of traffic.entries()) {
      const { inference_id, result } = await api.post<Answer>('/inference', { model_id: name, text });
      const verdict = verdicts[index];
      if (verdict) await this.give(verdict.label, inference_id, result.classification.label);
    }
    const { id } = await api.post<Improvement>(`/models/${name}/improve`, {});
    const isOver = ({ status }: Improvement) => ['done', 'failed', 'cancelled'].includes(status);
    const improvement = await api.until<Improvement>(`/improvements/${id}`, isOver, IMPROVEMENT_SECONDS);
    if (improvement.outcome === 'promoted') this.right = await this.answers();
    return improvement;
  }

  private async give(label: string, id: string, answered: string): Promise<void> {
    const path = `/inferences/${id}/feedback`;
    if (label === answered) return void (await this.api.post(path, { verdict: 'correct' }));
    const feedback = { verdict: 'incorrect', corrected_output: { classification: label } };
    // A label that the version in use does not know is refused, unless it is said to be new.
    await this.api.post(path, feedback).catch(() => this.api.post(path, { ...feedback, new_labels: [label] }));
  }

  /** Whether the model that answers by the name is right, by text. These calls are not recorded: no verdict is given on them. */
  private async answers(): Promise<Map<string, boolean>> {
    const right = new Map<string, boolean>();
    for (let from = 0; from < this.texts.length; from += TEXTS_A_CALL) {
      const rows = this.texts.slice(from, from + TEXTS_A_CALL);
      const { result } = await this.api.post<BatchAnswer>('/inference', {
        ...{ model_id: this.name, text: rows.map(({ text }) => text), store: false },
      });
      rows.forEach(({ text, label }, at) => right.set(text, result[at]!.classification.label === label));
    }
    return right;
  }
}
