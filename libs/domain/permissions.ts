import { KEY_SCOPES, type KeyScope } from './api-key/scopes.js';

/** Permissions that routes need. Each route declares its own. */
export const PERMISSIONS = {
  inference: 'call models, and list those that can be called',
  history: 'see what there is, its figures and states: calls without their content, datasets without their rows, jobs',
  content: 'see what calls, corrections, datasets and files say',
  weights: 'download models, whose files hold vectors of the rows that they learned from',
  audit: 'read the log: events, proofs, lineage, who read what',
  write: 'change everything else',
  manage: 'decide who is in the workspace, and with which role, and how long its contents are kept',
  own: "one's own session, password and keys",
} as const;

export type Permission = keyof typeof PERMISSIONS;
export type Permissions = ReadonlySet<Permission>;

export const ROLES = ['owner', 'developer', 'analyst', 'auditor', 'runner'] as const;
export type Role = (typeof ROLES)[number];

const all = Object.keys(PERMISSIONS) as Permission[];

/** Permissions of a role in the workspace. */
export const OF_ROLE: Readonly<Record<Role, Permissions>> = {
  owner: new Set(all),
  developer: new Set(all.filter((each) => each !== 'manage')),
  analyst: new Set(['history', 'content', 'weights', 'own']),
  auditor: new Set(['history', 'content', 'weights', 'audit', 'own']),
  runner: new Set(['inference', 'own']),
};

/** An analyst's permissions if the workspace hides content from analysts. */
export const WITHOUT_CONTENT: Permissions = new Set(['history', 'own']);

/** Permissions of a person without a role. */
export const NONE: Permissions = new Set(['own']);

const OF_SCOPE: Readonly<Record<KeyScope, readonly Permission[]>> = {
  inference: ['inference'],
  read: ['history', 'content', 'weights', 'audit'],
  write: ['write'],
  history: ['history'],
  audit: ['audit'],
  weights: ['weights'],
};

/** Permissions of a key: the current permissions of its maker, limited to its scopes. @param scopes absent: all of the maker's */
export function permissionsOfKey(maker: Permissions, scopes: readonly KeyScope[] | undefined): Permissions {
  if (scopes === undefined) return maker;
  return new Set(scopes.flatMap((scope) => OF_SCOPE[scope]).filter((permission) => maker.has(permission)));
}

/** The permissions of the scopes that the maker of a key lacks. */
export const beyond = (maker: Permissions, scopes: readonly KeyScope[]): readonly Permission[] =>
  scopes.flatMap((scope) => OF_SCOPE[scope]).filter((permission) => !maker.has(permission));

/** Scopes whose keys have a permission. */
export const scopesWith = (permission: Permission): readonly KeyScope[] =>
  KEY_SCOPES.filter((scope) => OF_SCOPE[scope].includes(permission));
