import type { InvalidField } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { items } from '../templates/template.js';
import { domainsIn, type Domain } from './domains.js';
import { chance, pick } from './draw.js';
import { readSections } from './english/index.js';
import { textOf } from './grammar.js';
import { parseTemplate, type Template } from '../templates/template.js';
import type { RowPlan } from './row-plan.js';
import { sentence } from './sentences.js';
import { newMemo } from './slots.js';

interface ChatDomain extends Domain {
  /** Turns, of the user and the assistant by turns. */
  readonly exchanges: readonly (readonly Template[])[];
}

const GREETED = 0.35;
const OFFERED = 0.25;
const OFFERS = [
  'Is there anything else I can do for you?',
  'Let me know if you need anything else.',
  'Does that help?',
  'Feel free to ask if something is unclear.',
  'Is there anything else?',
];
const GREETINGS = items(
  'Hi!;Hello.;Hi there!;Good morning.;Hey!;Good evening.;Hello, quick question:;Excuse me.;Hi, I need help.',
);

const DOMAINS: readonly ChatDomain[] = readSections('chats.txt').map(({ name, words, lines }) => ({
  name,
  words,
  exchanges: lines.map((line) => line.split('=>').map((turn) => parseTemplate(turn.trim()))),
}));

export const chatProblem: InvalidField = {
  path: ['domainDescription'],
  message:
    `names no domain that the built-in generator can write conversations of; it knows ${DOMAINS.map(({ name }) => name).join(', ')}. ` +
    'For other domains name a decoder of the catalog as model_id',
  type: 'not_allowed',
};

export const chatDomainOf = (description: string): ChatDomain | null => {
  const [first] = domainsIn(description, DOMAINS);
  return DOMAINS.find(({ name }) => name === first) ?? null;
};

/** A maker of conversations. @param instruction the system message of every row */
export function chatRows(description: string, instruction: string | null): RowPlan {
  const domain = chatDomainOf(description)!;
  const system = instruction === null ? [] : [{ role: 'system', content: instruction }];
  const make = (): JsonObject => {
    const memo = newMemo();
    const exchange = pick(domain.exchanges).map((turn) => textOf(sentence(turn, memo)));
    const [question = '', ...others] = exchange;
    const answer = others.pop() ?? '';
    const texts = [
      chance(GREETED) ? `${pick(GREETINGS)} ${question}` : question,
      ...others,
      chance(OFFERED) && !answer.endsWith('?') ? `${answer} ${pick(OFFERS)}` : answer,
    ];
    const turns = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
    return { messages: [...system, ...turns] };
  };
  const message = `domain_description was taken for ${domain.name}: the built-in generator follows nothing else in it`;
  return { make, warnings: [{ code: 'domain', message }] };
}
