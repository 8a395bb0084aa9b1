import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { reachable, withoutDescriptions, type ApiDocument, type ApiOperation } from '#test/support/api-document.js';

/** Paths that the console uses: of the dialects of others, few. */
export const USED = /^\/(?!v1\/)|^\/v1\/(chat\/completions$|models$|files|batches)/;

/**
 * The types of the API as TypeScript: what the console sends and gets. Errors, headers and descriptions, which the console's code does
 * not use, are left out; it would be six times as long.
 * @param document `/openapi.json`
 */
export async function typesOf({ paths, components: { schemas } }: ApiDocument): Promise<string> {
  const used = Object.entries(paths)
    .filter(([path]) => USED.test(path))
    .map(([path, item]) => [path, mapValues(item, operationOf)] as const);
  const slim = withoutDescriptions({ paths: Object.fromEntries(used), schemas }) as {
    paths: object;
    schemas: Record<string, unknown>;
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Anneal', version: '1' },
    paths: slim.paths,
    components: { schemas: reachable(slim.paths, slim.schemas) },
  };
  return astToString(await openapiTS(document as OpenAPI3, { defaultNonNullable: false }));
}

function operationOf({ summary, requestBody, parameters = [], responses }: ApiOperation): object {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 300);
  return {
    summary,
    requestBody,
    parameters: parameters.filter((each) => each.in !== 'header'),
    responses: Object.fromEntries(answers.map(([status, { content }]) => [status, { description: '', content }])),
  };
}

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
