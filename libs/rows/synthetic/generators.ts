import type { RowGenerator } from './port.js';

/** Name of the generator that needs no model; the default of requests. */
export const BUILT_IN = 'built-in';

/** The generators there are: the built-in one by its name, and any other name is the id of a decoder in the catalog. */
export class Generators {
  constructor(
    private readonly builtIn: RowGenerator,
    private readonly decoder: (modelId: string) => RowGenerator,
  ) {}

  named(name: string): RowGenerator {
    return name === BUILT_IN ? this.builtIn : this.decoder(name);
  }
}
