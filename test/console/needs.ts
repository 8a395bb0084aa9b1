import type { ApiDocument } from '#test/support/api-document.js';
import { USED } from './schema.js';

/** What is needed where a route declares what most of its kind do. */
const usual = (method: string): string => (method === 'get' ? 'history' : 'write');

/**
 * The permissions that routes need, as TypeScript: the console offers nobody what the API refuses them.
 * @param document `/openapi.json`
 */
export function needsOf({ paths }: ApiDocument): string {
  const unusual = Object.entries(paths)
    .filter(([path]) => USED.test(path))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const needs = operation['x-needs'] ?? [];
        const isUsual = needs.length === 1 && needs[0] === usual(method);
        return isUsual
          ? ''
          : `  '${method.toUpperCase()} ${path}': [${needs.map((each) => `'${each}'`).join(', ')}],\n`;
      }),
    );
  return `/**
 * Permissions, any one of which a route needs; none: it is public. Routes that are not here need \`history\` to GET and \`write\` to do
 * anything else. Written by \`npm run console:schema\`.
 */
export const NEEDS: Readonly<Record<string, readonly string[]>> = {
${unusual.join('')}};
`;
}
