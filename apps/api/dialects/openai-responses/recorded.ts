import type { Produced } from '#calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { CalledTools } from './called-tools.js';
import { endOf, outputItems } from './output.js';

/** The output shown in the history. */
export const recordedOutput =
  (called: CalledTools) =>
  ({ choices }: Produced): Json => {
    const choice = choices[0]!;
    return { ...endOf(choice), output: outputItems(choice, called) as JsonObject[] };
  };
