import tseslint from 'typescript-eslint';

const ROUTE = String.raw`/\b(GET|POST|PUT|PATCH|DELETE) \u002f/`;
const noWordsOfHttp = [
  ...[`Literal[value=${ROUTE}]`, `TemplateElement[value.raw=${ROUTE}]`].map((selector) => ({
    selector,
    message: 'The domain knows no routes: say what to do, and leave to apps/api how.',
  })),
  {
    selector: "Property[key.name='path'] > ArrayExpression > Literal:first-child[value=/^(body|query|path)$/]",
    message: 'The domain names its own fields: apps/api/edge/errors/map.ts says where in a request they are.',
  },
];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '.anneal/',
      '.quality/',
      '.dependency-cruiser.cjs',
      '.dependency-cruiser.folders.cjs',
      'apps/console/api/schema.d.ts',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeCheckedOnly],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
  {
    // The edge says which route and which part of a request (apps/api/edge/errors/map.ts).
    files: ['libs/domain/**/*.ts', 'libs/{application,log}/**/*.ts', 'projections/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...noWordsOfHttp] },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
