import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { Models, type Model } from '#calls/models.js';
import type { CallRequest } from '#calls/request.js';
import { requireProject } from '#use-cases/projects/require-project.js';
import { namingFields, type FieldNames } from '#calls/field-names.js';

/** A decoded request for a model, before the model is known. */
export interface ModelRequest extends Omit<CallRequest, 'start' | 'store' | 'projectId'> {
  readonly request: Pick<CallRequest, 'store' | 'projectId'> & { readonly modelId: string };
}

/** The steps before a call that every dialect shares. */
@Injectable()
export class ModelCalls {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
  ) {}

  /**
   * Resolves the model, checks the project, and runs the call; errors name the fields of the dialect's body.
   * @param run refuses unsupported requests (`libs/calls/fit.ts`), then calls the model
   * @throws DomainError
   */
  run<Answer>(
    { request, caller, correlationId, format, input, signal }: ModelRequest,
    names: FieldNames,
    run: (call: CallRequest, model: Model) => Promise<Answer>,
  ): Promise<Answer> {
    const start = performance.now();
    return this.withModel(caller, request.modelId, names, async (model) => {
      const { store, projectId } = request;
      if (projectId !== null) await requireProject(this.application, caller.workspaceId, projectId);
      return run({ caller, correlationId, format, store, projectId, input, start, signal }, model);
    });
  }

  /** Resolves the model; errors name the fields of the dialect's body. @throws DomainError */
  async withModel<Answer>(
    caller: CallRequest['caller'],
    modelId: string,
    names: FieldNames,
    run: (model: Model) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await run(await this.models.resolve(caller, modelId));
    } catch (error) {
      throw namingFields(names, error);
    }
  }
}
