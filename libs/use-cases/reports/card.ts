import { cited, fact, noEvent, notRecorded, type Section } from './report.js';
import { changes, postMarket, risks } from './card-life.js';
import { development, evaluations, performance } from './card-training.js';
import type { Gathered } from './gathered.js';
import type { ModelFacts } from './model-facts.js';
import type { Names } from './names.js';

/** The technical documentation of a model, in the order of annex IV of the EU AI Act (Regulation (EU) 2024/1689). */
export function cardSections(facts: ModelFacts, gathered: Gathered, names: Names): readonly Section[] {
  return [
    { title: '1. General description', statements: general(facts, gathered, names) },
    { title: '2. Elements of the system and its development', statements: development(facts, names) },
    { title: '2 (g). Validation and testing', statements: evaluations(facts) },
    { title: '3. Monitoring, functioning and control', statements: control(facts, gathered, names) },
    { title: '4. Performance metrics', statements: performance(facts) },
    { title: '5. Risk management', statements: risks(facts, names) },
    { title: '6. Changes through the lifecycle', statements: changes(facts, gathered, names) },
    {
      title: '7. Harmonised standards applied',
      statements: [notRecorded('Harmonised standards and common specifications applied, or the solutions instead')],
    },
    { title: '8. EU declaration of conformity', statements: [notRecorded('A copy of the declaration (article 47)')] },
    { title: '9. Post-market monitoring', statements: postMarket(facts, gathered) },
  ];
}

function general({ name, events, versions }: ModelFacts, gathered: Gathered, names: Names) {
  const created = events.findLast(({ type }) => type === 'model-created.v1');
  const deleted = events.findLast(({ type }) => type === 'model-deleted.v1');
  const description = created?.type === 'model-created.v1' ? created.data.description : null;
  return [
    ...(created
      ? [
          fact(`The model ${name} was created by ${names.of(created.metadata.actor)} on ${created.data.at}.`, [
            cited(created),
          ]),
        ]
      : []),
    description === null
      ? notRecorded('Intended purpose')
      : fact(`Purpose, as its description says: ${JSON.stringify(description)}.`, [cited(created!)]),
    notRecorded('Name of the provider, users and persons concerned, forms of deployment, instructions for use'),
    ...versions.map((added) => {
      const { version, target, trainingJobId, baseModel } = added.data;
      const source = trainingJobId === null ? `the catalog's model ${target}` : `training job ${trainingJobId}`;
      return fact(
        `Version ${version} is ${source}, on the base model ${baseModel}; added by ${names.of(added.metadata.actor)}.`,
        [cited(added)],
        { version, target, training_job_id: trainingJobId, base_model: baseModel },
      );
    }),
    ...(deleted ? [fact(`The name was deleted by ${names.of(deleted.metadata.actor)}.`, [cited(deleted)])] : []),
    ...callsOf(versions, name, gathered),
  ];
}

function callsOf(versions: ModelFacts['versions'], name: string, { calls }: Gathered) {
  return versions.map(({ data }) => {
    const { version, trainingJobId } = data;
    const of = calls.byModel.get(`${name}@${version}`);
    const direct = trainingJobId === null ? undefined : calls.byModel.get(trainingJobId);
    const counted = of ?? direct;
    if (!counted) return noEvent(`No call of version ${version} is on the log.`);
    const text = of
      ? `Version ${version} answered ${of.count} recorded calls of the name`
      : `The training job of version ${version} answered ${counted.count} recorded calls by its id`;
    return fact(`${text}.`, [counted.first, counted.last], { version, calls: counted.count });
  });
}

/** How it is watched and steered: policy, shares of traffic, shadows, verdicts of people. */
function control({ name, version, events }: ModelFacts, { calls }: Gathered, names: Names) {
  const policy = events.findLast(({ type }) => type === 'model-policy-set.v1');
  const named = (id: string) => id === name || id.startsWith(`${name}@`);
  const wanted = (id: string) => (version === null ? named(id) : id === `${name}@${version}` || id === name);
  const verdicts = [...calls.verdicts].flatMap(([key, counted]) => {
    const [id = '', verdict = ''] = key.split('\n');
    return wanted(id) ? [{ id, verdict, counted }] : [];
  });
  return [
    policy?.type === 'model-policy-set.v1' && policy.data.policy !== null
      ? fact(
          `Policy in force for improvements and drift: ${JSON.stringify(policy.data.policy)}; set by ${names.of(policy.metadata.actor)}.`,
          [cited(policy)],
        )
      : policy
        ? fact('The policy for improvements and drift was taken away.', [cited(policy)])
        : noEvent('No policy for improvements and drift is set.'),
    ...verdicts.map(({ id, verdict, counted }) =>
      fact(`People judged ${counted.count} calls of ${id} as ${verdict}.`, [counted.first, counted.last], {
        model: id,
        verdict,
        count: counted.count,
      }),
    ),
    notRecorded('Human oversight (article 14): who watches, what they may stop, and how'),
    notRecorded('Foreseeable unintended outcomes and sources of risk; specification of the input data'),
  ];
}
