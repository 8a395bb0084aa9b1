import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Length } from 'class-validator';
import {
  BUDGET_PERIODS,
  KEY_LIMIT_BOUNDS,
  KEY_SCOPES,
  type BudgetPeriod,
  type KeyScope,
} from '#domain/api-key/index.js';
import { PERMISSIONS, ROLES, type Permission, type Role } from '#domain/permissions.js';
import { PASSWORD_CHARACTERS } from '#primitives/secrets/index.js';
import {
  bodyField,
  BodyInteger,
  BodyOneOf,
  BodyPositive,
  BodyText,
  BodyTime,
  Printable,
} from '../../edge/validation/index.js';

const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];
const SCOPES = {
  enum: KEY_SCOPES,
  isArray: true,
  nullable: true,
  description: 'null: the key may do everything its creator may do.',
};

export class SignInBody {
  @BodyText({ max: 254 }) email!: string;
  @BodyText({ max: 200 }) password!: string;
}

export class SetPasswordBody {
  @BodyText({ optional: true, max: 200, description: 'Required if the user has a password.' })
  current_password?: string | null;

  @BodyText({ min: PASSWORD_CHARACTERS.min, max: PASSWORD_CHARACTERS.max }) new_password!: string;
}

export class SignInMethods {
  @ApiProperty() password!: boolean;
  @ApiProperty({ description: 'By an OpenID provider: browsers go to `/auth/oidc/start`.' }) oidc!: boolean;
}

export class SignedIn {
  @ApiProperty({ description: 'Also set as the cookie `anneal_session`.' }) session_token!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;
}

export class SwitchWorkspaceBody {
  @BodyText({ max: 200, description: 'One of `workspaces` from `GET /auth/session`.' }) workspace_id!: string;
}

class SessionWorkspace {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ nullable: true, type: String, description: 'Whose own it is, or was.' }) owner_email!: string | null;
  @ApiProperty({ enum: ROLES, enumName: 'Role', description: "The signed-in person's role there." }) role!: Role;
}

export class SessionRecord {
  @ApiProperty({ format: 'uuid' }) user_id!: string;
  @ApiProperty({ nullable: true, type: String, description: 'null: its key is lost.' }) email!: string | null;
  @ApiProperty({ format: 'uuid' }) team_id!: string;
  @ApiProperty({ format: 'uuid' }) workspace_id!: string;
  @ApiProperty({
    enum: ROLES,
    enumName: 'Role',
    nullable: true,
    description: 'Role in this workspace; null for a former member.',
  })
  role!: Role | null;

  @ApiProperty({ enum: PERMISSION_NAMES, isArray: true, description: 'Permissions of the role.' })
  permissions!: readonly Permission[];

  @ApiProperty({
    type: [SessionWorkspace],
    description: 'Workspaces that the session can switch to with `POST /auth/workspace`.',
  })
  workspaces!: readonly SessionWorkspace[];

  @ApiProperty({ description: 'Whether `POST /auth/password` requires the current password.' }) has_password!: boolean;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;
}

const { models: MAX_MODELS, modelCharacters, perMinute, budgetDollars } = KEY_LIMIT_BOUNDS;

class KeyLimitFields {
  @bodyField(
    {
      ...{ optional: true, type: [String], minItems: 1, maxItems: MAX_MODELS, example: ['qwen/*'] },
      description:
        'Ids, aliases or names of the only models that the key may call and list; one that ends in `*` allows all that begin so.',
    },
    ...[
      Length(1, modelCharacters, {
        each: true,
        message: `each of $property must have 1 to ${modelCharacters} characters`,
      }),
      IsString({ each: true, message: '$property must be a list of strings' }),
      ArrayMaxSize(MAX_MODELS),
      ArrayMinSize(1),
      IsArray(),
    ],
  )
  models?: string[] | null;

  @BodyInteger({ optional: true, min: 1, max: perMinute, description: 'Requests that call models.' })
  requests_per_minute?: number | null;

  @BodyInteger({
    ...{ optional: true, min: 1, max: perMinute },
    description: 'Tokens of all kinds. Those of a call count once they are known, and the next request is refused.',
  })
  tokens_per_minute?: number | null;

  @BodyPositive({
    ...{ optional: true, max: budgetDollars },
    description: 'US dollars that the calls of a period may cost.',
  })
  budget?: number | null;

  @BodyOneOf(BUDGET_PERIODS, {
    optional: true,
    description: "UTC; weeks begin on Monday. null: the budget is for the key's life.",
  })
  budget_period?: BudgetPeriod | null;
}

export class CreateApiKeyBody extends KeyLimitFields {
  @BodyText({ max: 100, description: 'What the key is for.' }, Printable()) name!: string;

  @BodyTime({ optional: true, description: 'null if the key does not expire.' }) expires_at?: string | null;

  @bodyField(
    {
      ...{ optional: true, type: [String], enum: KEY_SCOPES, minItems: 1, maxItems: KEY_SCOPES.length },
      description:
        'What the key may do, limited by what its creator may do: `inference` calls models, `read` covers GET requests, `write` everything else; `history` (no content), `audit` (the log) and `weights` (files of models) are parts of `read`. null: everything its creator may do.',
    },
    ...[
      IsIn(KEY_SCOPES, { each: true, message: `each value in $property must be one of ${KEY_SCOPES.join(', ')}` }),
      ArrayMaxSize(KEY_SCOPES.length),
      ArrayMinSize(1),
      IsArray(),
    ],
  )
  scopes?: KeyScope[] | null;
}

export class LimitApiKeyBody extends KeyLimitFields {
  @BodyText({
    max: 200,
    description: 'The id of the key, from the list. A limit of null is lifted, an absent one stays.',
  })
  key_id!: string;
}

/** null: not limited. */
export class KeyLimitsRecord {
  @ApiProperty({ nullable: true, type: [String] }) models!: readonly string[] | null;
  @ApiProperty({ nullable: true, type: Number }) requests_per_minute!: number | null;
  @ApiProperty({ nullable: true, type: Number }) tokens_per_minute!: number | null;
  @ApiProperty({ nullable: true, type: Number, description: 'US dollars.' }) budget!: number | null;

  @ApiProperty({ nullable: true, enum: BUDGET_PERIODS, description: "null: the budget is for the key's life." })
  budget_period!: BudgetPeriod | null;
}

export class NewApiKey extends KeyLimitsRecord {
  @ApiProperty({ description: 'The key itself, shown only once.' }) secret_key!: string;
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty() api_key_last_digits!: string;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) expires_at!: string | null;
  @ApiProperty(SCOPES) scopes!: readonly KeyScope[] | null;
  @ApiProperty({ format: 'uuid' }) team_id!: string;
  @ApiProperty({ description: 'Always false: there is no billing provider.' }) stripe_customer_created!: boolean;
}

export class ApiKeyRecord extends KeyLimitsRecord {
  @ApiProperty({
    nullable: true,
    type: Number,
    description: "US dollars that the period's calls have cost; the last seconds may be missing. null: no budget.",
  })
  budget_used!: number | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String, description: 'When the next period begins.' })
  budget_resets_at!: string | null;

  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty() api_key_last_digits!: string;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) last_used_at!: string | null;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) expires_at!: string | null;
  @ApiProperty(SCOPES) scopes!: readonly KeyScope[] | null;
  @ApiProperty({ format: 'uuid' }) team_id!: string;

  @ApiProperty({ description: 'Tokens of all recorded calls: input, output, cache reads and cache writes.' })
  usage_tokens!: number;

  @ApiProperty({ description: 'US dollars.' }) usage_cost!: number;
  @ApiProperty({ description: 'Recorded calls.' }) request_count!: number;
}

export class ApiKeyList {
  @ApiProperty({ type: [ApiKeyRecord] }) keys!: ApiKeyRecord[];
  @ApiProperty() count!: number;
}

export class DeleteApiKeyBody {
  @BodyText({ max: 200, description: 'The id of the key, from the list.' }) key_id!: string;
}

export class Done {
  @ApiProperty() success!: boolean;
  @ApiProperty({ nullable: true, type: String }) message!: string | null;
}
