/** A tool that scenarios offer. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly parameters: Record<string, unknown>;
  readonly run: (input: unknown) => string;
}

const ofCity = {
  type: 'object',
  properties: { city: { type: 'string', description: 'The name of a city.' } },
  required: ['city'],
  additionalProperties: false,
};

/** The scripted models call these tools with the example of their parameters. */
export const TOOLS: readonly OfferedTool[] = [
  {
    ...{ name: 'get_weather', description: 'The weather of a city.', parameters: ofCity },
    run: (input) => `sun in ${(input as { city: string }).city}`,
  },
  {
    ...{ name: 'get_time', description: 'The local time of a city.', parameters: ofCity },
    run: (input) => `noon in ${(input as { city: string }).city}`,
  },
];

export const toolNamed = (name: string): OfferedTool => {
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name} was offered`);
  return tool;
};

/** The schema that structured answers are held to, and what scripted models say to it. */
export const CITY_SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    inhabitants: { type: 'integer' },
    climate: { type: 'string', enum: ['mild', 'harsh'] },
    twinned: { type: 'array', items: { type: 'string' } },
  },
  required: ['city', 'inhabitants', 'climate', 'twinned'],
  additionalProperties: false,
};
export const CITY = { city: 'Paris', inhabitants: 21, climate: 'mild', twinned: ['Paris'] };
