import { InvalidError, type InvalidField } from '#domain/errors.js';
import type { GenerationWarning, RowsRequest } from '#domain/generation-job/index.js';
import { chatDomainOf, chatProblem, chatRows } from './chats.js';
import { classProblems, classRows } from './classes.js';
import { customPlan } from './custom.js';
import { domainsIn } from './domains.js';
import { pairProblems, pairRows } from './field-pairs.js';
import { labelProblems, NER_DOMAINS, nerRows } from './ner.js';
import { fieldProblems, recordRows } from './records.js';
import { endLabels, relationProblems, relationRows } from './relations.js';
import type { RowPlan } from './row-plan.js';
import { structureProblems, structureRows } from './structures.js';

/** @throws InvalidError naming every field that the built-in generator cannot do justice to */
export function planOf(request: RowsRequest): RowPlan {
  const problems = [...notFollowed(request), ...taskProblems(request)];
  if (problems.length > 0) throw new InvalidError(problems);
  switch (request.taskType) {
    case 'ner':
      return headsPlan(request);
    case 'classification':
      return { make: classRows(request.labels), warnings: ignoredDescription(request) };
    case 'custom':
      return customPlan(request.prompt ?? '');
    case 'decoder':
      return chatRows(request.domainDescription ?? '', request.instruction);
    case 'records':
      return { make: recordRows(request.fields), warnings: ignoredDescription(request) };
    case 'fields':
      return { make: pairRows(request.inputFields, request.outputFields), warnings: ignoredDescription(request) };
  }
}

/** Rows of one head each, the heads in turns: a text about one is unlabelled for the others. */
function headsPlan(request: RowsRequest): RowPlan {
  const { structures = [], relations = [] } = request;
  const { domains, warnings } =
    request.labels.length > 0
      ? steering(request)
      : { domains: new Set<string>(), warnings: ignoredDescription(request) };
  const labels = endLabels(relations, request.labels);
  const makers = [
    ...(request.labels.length > 0 ? [nerRows(labels, domains)] : []),
    ...(structures.length > 0 ? [structureRows(structures)] : []),
    ...(relations.length > 0 ? [relationRows(relations, labels)] : []),
  ];
  return { make: (row) => makers[row % makers.length]!(Math.floor(row / makers.length)), warnings };
}

function taskProblems({
  taskType,
  labels,
  prompt,
  domainDescription,
  structures = [],
  relations = [],
  ...request
}: RowsRequest): readonly InvalidField[] {
  switch (taskType) {
    case 'ner':
      return [...labelProblems(labels), ...structureProblems(structures), ...relationProblems(relations)];
    case 'classification':
      return classProblems(labels);
    case 'custom':
      return customPlan(prompt ?? '').problems;
    case 'decoder':
      return chatDomainOf(domainDescription ?? '') === null ? [chatProblem] : [];
    case 'records':
      return fieldProblems(request.fields, 'fields');
    case 'fields':
      return pairProblems(request.inputFields, request.outputFields);
  }
}

/** The built-in generator reports that it cannot follow instructions or examples. */
function notFollowed({ taskType, instruction, prompt, classifiedExamples }: RowsRequest): readonly InvalidField[] {
  const refused = (field: string, what: string): InvalidField => ({
    path: [field],
    message: `the built-in generator ${what}; leave it out, or name a decoder of the catalog as model_id`,
    type: 'not_allowed',
  });
  return [
    ...(instruction !== null && taskType !== 'decoder' ? [refused('instruction', 'follows no instructions')] : []),
    ...(prompt !== null && taskType !== 'custom' ? [refused('prompt', `follows no prompt for ${taskType} rows`)] : []),
    ...(classifiedExamples.length > 0 ? [refused('classified_examples', 'learns nothing from examples')] : []),
  ];
}

/** Selects texts by the description of entity rows. */
function steering(request: RowsRequest): { domains: ReadonlySet<string>; warnings: readonly GenerationWarning[] } {
  const { domainDescription } = request;
  const domains = new Set(domainDescription === null ? [] : domainsIn(domainDescription, NER_DOMAINS));
  return { domains, warnings: domains.size > 0 ? [] : ignoredDescription(request) };
}

const ignoredDescription = ({ domainDescription }: RowsRequest): readonly GenerationWarning[] =>
  domainDescription === null
    ? []
    : [
        {
          code: 'general_text',
          message:
            'domain_description names nothing that the built-in generator has texts of its own for; the rows are general',
        },
      ];
