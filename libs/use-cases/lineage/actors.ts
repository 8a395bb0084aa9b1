import { Injectable } from '@nestjs/common';
import { loadUser } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { ApiKeyEvent } from '#domain/api-key/index.js';
import type { UserEvent } from '#domain/user/index.js';
import { apiKeyDocuments } from '#projections/api-keys/queries.js';
import { cite, LogReader, type EventCitation } from '../events/log-reader.js';

export interface Actor {
  /** As an event's metadata have it. */
  readonly actor: string;
  /** Name of the key, or address of the user; null if the log has none. */
  readonly name: string | null;
  readonly event: EventCitation | null;
}

/** Names of the users who caused events, if they belong to the workspace. */
@Injectable()
export class Actors {
  constructor(
    private readonly application: Application,
    private readonly log: LogReader,
  ) {}

  /** @param actor as an event's metadata have it */
  async of(workspaceId: string, actor: string): Promise<Actor> {
    const [kind, id = ''] = actor.split(/:(.*)/s, 2);
    const named =
      kind === 'key' ? await this.key(workspaceId, id) : kind === 'user' && (await this.user(workspaceId, id));
    return { actor, ...(named || { name: null, event: null }) };
  }

  private async key(workspaceId: string, keyId: string) {
    const document = await apiKeyDocuments.get(this.application.ports.readStore, keyId);
    if (document?.workspaceId !== workspaceId) return null;
    const [made] = await this.log.events<ApiKeyEvent>(workspaceId, ['key', document.keyHash]);
    return made?.type === 'api-key-created.v1' ? { name: made.data.name, event: cite(made) } : null;
  }

  /** null if the person's account is not of this workspace. */
  async user(workspaceId: string, userId: string) {
    const [registered] = await this.log.events<UserEvent>(workspaceId, ['user', userId]);
    if (registered?.type !== 'user-registered.v1') return null;
    const user = await loadUser(this.application, userId);
    return { name: user?.email ?? null, event: cite(registered) };
  }
}
