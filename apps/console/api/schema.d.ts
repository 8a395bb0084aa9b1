export interface paths {
    "/create-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates an API key. Requires a browser session; the key is shown only once */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateApiKeyBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewApiKey"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/list-api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the member's own keys, without their secrets */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ApiKeyList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/limit-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes limits of one of the member's own keys, from the next request on. Requires a browser session: a key cannot lift its limits */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LimitApiKeyBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ApiKeyRecord"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/delete-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes one of the member's own keys immediately and permanently */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeleteApiKeyBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with e-mail and password, and sets the session cookie */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SignInBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sets the signed-in user's password, ends all other sessions and sign-in links, and renews this session */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SetPasswordBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignedIn"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Switches the session to another workspace of the signed-in user */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SwitchWorkspaceBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the ways to sign in */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SignInMethods"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the session */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Done"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The signed-in user with role, permissions and workspaces */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists batches, newest first */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BatchList"];
                    };
                };
            };
        };
        put?: never;
        /** Runs the requests of a file in the background, each as a separate call */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateBatchBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BatchObject"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One batch */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BatchObject"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a batch; finished answers are kept */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BatchObject"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's team: plan, region, rollouts, data use, credits and limits */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AccountRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/data-use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Opts the team out of the use of its data, or back in. Opting out requires a plan that allows it */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DataUseBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DataUse"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The workspace's calls by day, model and API key, newest day first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    since?: string;
                    until?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UsageList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The team's top-ups, corrections and limits, newest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LedgerList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/base-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the models that can be called or trained, with their capabilities and prices */
        get: {
            parameters: {
                query?: {
                    supports_inference?: boolean;
                    supports_training?: boolean;
                    task_type?: "encoder" | "decoder" | "embedding";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["BaseModelList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists catalog models and the workspace's trained models, for the OpenAI and Anthropic SDKs */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    before_id?: string;
                    after_id?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/{version}/push-to-hub": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Commits the rows to a dataset repository on the hub; `latest` is the newest ready version */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PushBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PushedRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/pull-from-hub": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a new version from rows on the hub, in the background: poll until ready or failed */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PullBody"];
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DatasetVersionRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/preview-from-hub": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Previews rows on the hub, unconverted */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HubPreviewBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HubPreview"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/upload/url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a new version and returns an address for the PUT of the file, which needs no API key */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["UploadUrlBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UploadUrl"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/upload/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Seals the uploaded file and processes it in the background: poll until ready or failed */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ProcessBody"];
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DatasetVersionRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/from-feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a new version from answers that reviewers judged correct or corrected */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FromFeedbackBody"];
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FromFeedback"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a new version with the rows of several datasets of one type, in the given order */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MergeBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Merged"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists datasets by their newest version that has not failed, newest first */
        get: {
            parameters: {
                query?: {
                    include_failed?: boolean;
                    dataset_type?: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
                    project_id?: string;
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DatasetList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the versions of a dataset, newest first */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["VersionList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes all versions; 409 while a training job or an evaluation uses one of them */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deleted"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One version; `latest` is the highest number, in any state */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DatasetVersionRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes one version; `latest` is the highest number, in any state */
        delete: {
            parameters: {
                query?: {
                    erase?: boolean;
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeletedVersion"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Says of a version what its rows are for, where they come from, their license, the consent to them, and how they are labelled */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DatasetDescriptionBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DatasetVersionRecord"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/felix/datasets/{name}/{version}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Previews rows of a version; `latest` is the newest ready one */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    q?: string;
                    label?: string;
                    min_characters?: number;
                    max_characters?: number;
                    duplicate?: boolean;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Preview"];
                    };
                };
            };
        };
        put?: never;
        /** Previews the first rows of an uploaded file that is not processed yet, as a version would have them */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReadingPreviewBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["UploadPreview"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/{version}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All rows of a version as a file; `latest` is the newest ready one */
        get: {
            parameters: {
                query?: {
                    format?: "jsonl" | "csv" | "parquet" | "conll" | "spacy" | "label-studio" | "gliner2" | "openai-chat";
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": unknown;
                        "text/csv": unknown;
                        "application/vnd.apache.parquet": unknown;
                        "application/json": Record<string, never>[];
                        "text/plain": unknown;
                    };
                };
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/{version}/left-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rows of the file that a version lacks, because they were not valid or had no label, as `{row, reason, data}` */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": unknown;
                    };
                };
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/{version}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports the labels and text lengths of a version, and problems in its rows */
        get: {
            parameters: {
                query?: {
                    held_out?: string;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["VersionReportRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/{version}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares two versions by row: added, removed and relabelled rows */
        get: {
            parameters: {
                query?: {
                    from?: number;
                    kind?: "added" | "removed" | "changed";
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["VersionDiffRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/deleted-datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists deleted versions that can be restored, the last deleted first */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeletedVersions"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/datasets/{name}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restores a deleted version, or all of the dataset that were ready */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RestoreBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["VersionList"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/distillable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Finds tasks that recorded calls of models repeat, and says whether a small model could do them */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    model?: string;
                    since?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DistillableTasks"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists evaluations, newest first */
        get: {
            parameters: {
                query?: {
                    model_id?: string;
                    project_id?: string;
                    training_job_id?: string;
                    dataset_name?: string;
                    status?: "queued" | "running" | "complete" | "failed";
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EvaluationList"];
                    };
                };
            };
        };
        put?: never;
        /** Evaluates a model on a labelled dataset, in the background */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["StartEvaluationBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EvaluationRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/evaluations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One evaluation with a page of its predictions */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    only_wrong?: boolean;
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EvaluationRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes an evaluation with its predictions; a running one is stopped */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deleted"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/evaluations/{id}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares two evaluations on the same rows: wins, losses and statistical significance */
        get: {
            parameters: {
                query?: {
                    with?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EvaluationComparison"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The signed head of the log's audit tree (C2SP tlog-checkpoint) */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public keys that have signed checkpoints, one per line, newest last */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/model-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The public keys that have signed model archives (OpenSSF model-signing), as PEM, newest first */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/reads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists who read what: call records, dataset rows, files, exports and events; newest first */
        get: {
            parameters: {
                query?: {
                    resource?: string;
                    actor?: string;
                    since?: string;
                    until?: string;
                    limit?: number;
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReadPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exports the workspace's events with proofs that they are in the log, as JSON lines or Parquet */
        get: {
            parameters: {
                query?: {
                    stream?: string;
                    from?: string;
                    to?: string;
                    content?: boolean;
                    format?: "jsonl" | "parquet";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": unknown;
                        "application/vnd.apache.parquet": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports for auditors, made from the log: model cards, logs of calls, access review, incidents */
        get: {
            parameters: {
                query?: {
                    kind?: "card" | "logs" | "access" | "incidents";
                    model?: string;
                    since?: string;
                    until?: string;
                    position?: string;
                    format?: "json" | "markdown";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReportList"];
                        "text/markdown": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Replays one stream of the event log in order; only events of the caller's workspace */
        get: {
            parameters: {
                query: {
                    stream: string;
                    from?: number;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the workspace's events in log order; filters by type, stream, actor, request and time */
        get: {
            parameters: {
                query?: {
                    type?: string;
                    stream?: string;
                    actor?: string;
                    correlation_id?: string;
                    since?: string;
                    until?: string;
                    order?: "asc" | "desc";
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LogPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams the workspace's events as they happen, as server-sent events */
        get: {
            parameters: {
                query?: {
                    type?: string;
                    stream?: string;
                    actor?: string;
                    correlation_id?: string;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists every event type with its streams, writers, JSON schema and an example */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventTypeList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists files: every dataset version of the workspace */
        get: {
            parameters: {
                query?: {
                    after?: string;
                    limit?: number;
                    order?: "asc" | "desc";
                    purpose?: "fine-tune" | "batch" | "batch_output";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileList"];
                    };
                };
            };
        };
        put?: never;
        /** Uploads a file of training examples or batch requests; it becomes a dataset version */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": components["schemas"]["FileUploadForm"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileObject"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One file */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FileObject"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a file; 409 while a job uses it */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeletedFile"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of a file, as uploaded */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generates synthetic rows in the background; with `dataset_name`, they become a new version of the dataset */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["GenerateBody"];
                };
            };
            responses: {
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GenerationStarted"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate/ner/label-existing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Labels the entities of the given texts with an encoder, and stores the rows on request */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LabelExistingBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LabelledRows"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate/classification/label-existing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Classifies the given texts with an encoder, and stores the rows on request */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LabelExistingBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LabelledRows"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of a generation job; includes the rows unless a dataset stores them */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GenerationJobRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Erases the texts of an ended job, and its rows; 409 if a dataset version has them */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ErasedGenerationJob"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/distil": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Trains a small model on recorded answers of a hosted one, and lets it answer where it is sure */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DistilBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DistillationRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/distillations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the distillations of a model, newest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DistillationList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/savings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a distilled model answered by itself, and what that saved, by day */
        get: {
            parameters: {
                query?: {
                    days?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SavingsRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/distillations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One distillation: its stages, the bound that was shown, and who answers now */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DistillationRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/distillations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a distillation; its training job is stopped */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DistillationRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/improve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Trains a new version on the corrections and compares it with the one in use */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ImproveBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImprovementRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/improvements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the improvements of a model, newest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImprovementList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets when a model is improved, what the gate requires, and what happens with the result */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PolicyBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PolicyRecord"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/improvements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the improvements of every model of the workspace, newest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    status?: "collecting" | "training" | "evaluating" | "gating" | "done" | "failed" | "cancelled" | "open";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImprovementList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/improvements/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One improvement with its stages and the decision of the gate */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImprovementRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/improvements/{id}/force": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accepts a version that the gate refused; requires a reason */
        post: {
            parameters: {
                query?: {
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ForceBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImprovementRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/improvements/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels an improvement; its training job is stopped */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImprovementRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the incidents of the workspace */
        get: {
            parameters: {
                query?: {
                    status?: "open" | "closed";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["IncidentList"];
                    };
                };
            };
        };
        put?: never;
        /** Opens an incident: what happened, and which model and calls it affects */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["OpenIncidentBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["IncidentRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Updates an open incident, or adds a note */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["UpdateIncidentBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["IncidentRecord"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/incidents/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Closes an incident */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CloseIncidentBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["IncidentRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists recorded calls, newest first */
        get: {
            parameters: {
                query?: {
                    model_id?: string;
                    task?: "extract_entities" | "classify_text" | "extract_json" | "extract_relations" | "schema" | "generate" | "embed";
                    project_id?: string;
                    training_job_id?: string;
                    latency_min?: number;
                    latency_max?: number;
                    since?: string;
                    until?: string;
                    verdict?: "correct" | "incorrect" | "unsure" | "none";
                    has_feedback?: boolean;
                    label?: string;
                    confidence_min?: number;
                    confidence_max?: number;
                    status?: "success" | "failed" | "ok" | "error";
                    key?: string;
                    user?: string;
                    shadow?: boolean;
                    text?: string;
                    limit?: number;
                    offset?: number;
                    cursor?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InferencePage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Erases the content of a data subject's calls, up to 500 in a request */
        delete: {
            parameters: {
                query?: {
                    cascade?: boolean;
                    subject?: string;
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ErasedCalls"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts, accuracy, confused labels, latency and cost of recorded calls, by group */
        get: {
            parameters: {
                query?: {
                    model_id?: string;
                    task?: "extract_entities" | "classify_text" | "extract_json" | "extract_relations" | "schema" | "generate" | "embed";
                    project_id?: string;
                    training_job_id?: string;
                    latency_min?: number;
                    latency_max?: number;
                    since?: string;
                    until?: string;
                    verdict?: "correct" | "incorrect" | "unsure" | "none";
                    has_feedback?: boolean;
                    label?: string;
                    confidence_min?: number;
                    confidence_max?: number;
                    status?: "success" | "failed" | "ok" | "error";
                    key?: string;
                    user?: string;
                    shadow?: boolean;
                    text?: string;
                    group_by?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InferenceStats"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exports recorded calls as a file, newest first */
        get: {
            parameters: {
                query?: {
                    model_id?: string;
                    task?: "extract_entities" | "classify_text" | "extract_json" | "extract_relations" | "schema" | "generate" | "embed";
                    project_id?: string;
                    training_job_id?: string;
                    latency_min?: number;
                    latency_max?: number;
                    since?: string;
                    until?: string;
                    verdict?: "correct" | "incorrect" | "unsure" | "none";
                    has_feedback?: boolean;
                    label?: string;
                    confidence_min?: number;
                    confidence_max?: number;
                    status?: "success" | "failed" | "ok" | "error";
                    key?: string;
                    user?: string;
                    shadow?: boolean;
                    text?: string;
                    format?: "jsonl" | "csv" | "parquet";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/x-ndjson": unknown;
                        "text/csv": unknown;
                        "application/vnd.apache.parquet": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Imports calls of another system, as JSON lines with one call each */
        post: {
            parameters: {
                query?: {
                    format?: "anneal" | "helicone" | "langfuse" | "litellm" | "openai" | "tensorzero";
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/x-ndjson": components["schemas"]["ImportedLine"];
                    "application/octet-stream": string;
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ImportReport"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares verdicts and corrections between each two reviewers */
        get: {
            parameters: {
                query?: {
                    model_id?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Agreement"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One recorded call */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["InferenceRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Erases the content of a call by destroying its keys; the record of its cost stays */
        delete: {
            parameters: {
                query?: {
                    cascade?: boolean;
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ErasureCertificate"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/{id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The feedback on a call; 404 if there is none */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FeedbackRecord"];
                    };
                };
            };
        };
        put?: never;
        /** Records whether a call was right, and its corrected output */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["FeedbackBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["FeedbackAccepted"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inferences/{id}/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The lineage of one answer: each fact with its event on the log */
        get: {
            parameters: {
                query?: {
                    proofs?: boolean;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CallLineage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The lineage of a model, as OpenLineage events or as a CycloneDX ML-BOM */
        get: {
            parameters: {
                query?: {
                    format?: "openlineage" | "cyclonedx";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": unknown;
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lineage/datasets/{name}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The jobs, model versions and answers that derive from the rows of a dataset version */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DatasetLineage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lineage/datasets/{name}/{version}/rows/{row}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The origin of one row of a dataset version, and the jobs that learned from it; rows count from 1 */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                    content?: boolean;
                };
                header?: never;
                path: {
                    name: string;
                    version: string;
                    row: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RowLineage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the named models of the workspace */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelList"];
                    };
                };
            };
        };
        put?: never;
        /** Creates a name for calling models */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateNamedModelBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One named model with its versions and promotions */
        get: {
            parameters: {
                query?: {
                    precision?: number;
                    as_of?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a name; the models behind it stay */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deleted"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compares the recorded calls of a version with its training rows, week by week */
        get: {
            parameters: {
                query?: {
                    weeks?: number;
                    version?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelDrift"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds a version: a completed training job or a catalog model */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AddModelVersionBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/versions/{n}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Puts a version in use; within a second, every process resolves the name to it */
        put: {
            parameters: {
                query?: {
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                    n: number;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["PromoteBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts an earlier version in use again */
        post: {
            parameters: {
                query?: {
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RollbackBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/labels/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Gives a label to a version, which can then be called as `name@label` */
        put: {
            parameters: {
                query?: {
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                    label: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SetLabelBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        post?: never;
        /** Removes a label */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    name: string;
                    label: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Routes a share of the callers to a version other than the one in use */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SetTrafficBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models/{name}/shadow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Has another version answer each call as a shadow, hidden from callers; shadow calls are recorded and billed */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SetShadowBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NamedModelRecord"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the runners by their heartbeats: work, engines and loaded models; operator only */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunnerList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The work of all workspaces that waits for a runner or runs on one; operator only */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OperatorQueue"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The settings in force, without secrets; operator only */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SettingsInForce"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Recorded changes of settings, models, prices and providers, the newest first; operator only */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SettingsChanges"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the projects of the workspace, newest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProjectList"];
                    };
                };
            };
        };
        put?: never;
        /** Creates a project, which groups datasets, jobs and calls */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateProjectBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProjectRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One project */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProjectRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a project; its datasets, jobs and calls stay, and keep the project's id */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deleted"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the acts that were proposed because they need two people, newest first */
        get: {
            parameters: {
                query?: {
                    status?: "open" | "confirmed" | "declined" | "expired" | "performed";
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProposalList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One proposed act, and who confirmed or declined it */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProposalRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirms what another person proposed, which is then done */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProposalRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/proposals/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Declines a proposal, or withdraws your own */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DeclineBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ProposalRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The retention periods of the workspace's content */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RetentionRecord"];
                    };
                };
            };
        };
        /** Sets after how many days the workspace's content is erased */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RetentionBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RetentionRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the open legal holds */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HoldList"];
                    };
                };
            };
        };
        put?: never;
        /** Places a legal hold: nothing that it covers is erased or purged until its release */
        post: {
            parameters: {
                query?: {
                    ticket?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["HoldBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HoldRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/holds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Releases a legal hold */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HoldReleased"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists recorded calls that are worth a review, in the order of a strategy */
        get: {
            parameters: {
                query?: {
                    strategy?: "uncertain" | "disagreement" | "novel" | "random" | "errors";
                    limit?: number;
                    model_id?: string;
                    model_name?: string;
                    label?: string;
                    reviewer?: string;
                    assigned?: boolean;
                    seed?: string;
                    second_review_share?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReviewPage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{id}/reserve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reserves a call for one reviewer for ten minutes; a repeat extends the reservation */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReviewerBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReviewState"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Releases a reservation */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ReviewerBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReviewState"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a call out of the queue until it is assigned or gets another verdict */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SkipBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReviewState"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{id}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Assigns a call to one reviewer */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AssignBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ReviewState"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists training jobs, newest first */
        get: {
            parameters: {
                query?: {
                    status?: "requested" | "running" | "complete" | "deployed" | "failed" | "cancelled" | "pending" | "stopped";
                    project_id?: string;
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainingJobList"];
                    };
                };
            };
        };
        put?: never;
        /** Starts a training job in the background */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateTrainingJobBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainingJobRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Estimates the training time of a job from past jobs of the workspace; starts nothing */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateTrainingJobBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainingEstimate"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job with its status, configuration and, once complete, metrics */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainingJobRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a job permanently, with its weights, checkpoints and logs; an active job is stopped */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Deleted"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Log lines of a job, oldest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    after?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainingLogList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams the known state of a job, then its changes until it ends, as server-sent events */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": components["schemas"]["TrainingJobMessage"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Checkpoints of a job, in the order of their steps */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainingCheckpointList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/checkpoints/{checkpoint}/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirms that calls of a job are answered with a checkpoint's weights; a finished job needs no deployment */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    checkpoint: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeployedCheckpoint"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A download address of the weights and model card (.tar.gz), or of an export; the job must be complete */
        get: {
            parameters: {
                query?: {
                    format?: "adapter" | "merged" | "gguf" | "gguf-q8_0" | "onnx";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelDownload"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/exports/{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Exports a trained model in the background; a failed export is tried again */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    format: "adapter" | "merged" | "gguf" | "gguf-q8_0" | "onnx";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelExport"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The exports of a trained model */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ModelExportList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/training-jobs/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a requested or running job immediately */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoppedJob"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/felix/trained-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists trained models, newest first */
        get: {
            parameters: {
                query?: {
                    project_id?: string;
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["TrainedModelList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the webhooks of the workspace, newest first */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookList"];
                    };
                };
            };
        };
        put?: never;
        /** Adds a webhook that receives events from now on; its signing secret is shown only once */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["CreateWebhookBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewWebhook"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One webhook with its event types and the state of its deliveries */
        get: {
            parameters: {
                query?: {
                    as_of?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookRecord"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Deletes a webhook; open deliveries are cancelled */
        delete: {
            parameters: {
                query?: {
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookDeleted"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /** Changes a webhook, disables it, or enables it again */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ChangeWebhookBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookRecord"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a new signing secret, shown only once; during the overlap, both secrets sign */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RotateWebhookBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RotatedSecret"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends one `webhook.test` */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookDeliveryRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the deliveries of a webhook with their attempts, newest first */
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "delivered" | "failed" | "cancelled";
                    limit?: number;
                    offset?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookDeliveryList"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a delivery again immediately, with the same id; its retry schedule starts over */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    delivery_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WebhookDeliveryRecord"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The caller's workspace: its members and their roles */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkspaceRecord"];
                    };
                };
            };
        };
        /** Sets whether analysts see the content of calls and datasets */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WorkspaceBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkspaceRecord"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspace/two-people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets which acts need two people; where some do, another owner confirms each change of this */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TwoPeopleBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkspaceRecord"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspace/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Gives a person a role in the workspace, or changes it; invites people who are not in the team yet */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["MemberBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GivenRole"];
                    };
                };
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspace/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a person from the workspace; their keys and sessions in it are refused from now on */
        delete: {
            parameters: {
                query?: {
                    erase?: boolean;
                    reason?: string;
                    ticket?: string;
                };
                header?: never;
                path: {
                    user_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["MemberRemoved"];
                    };
                };
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Proposed"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Chats with a decoder or queries an encoder, in the format of the OpenAI API */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ChatCompletionBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ChatCompletion"];
                        "text/event-stream": components["schemas"]["ChatCompletionChunk"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs an encoder on a text or a batch of texts, or a decoder on messages */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["EncoderInferenceBody"] | components["schemas"]["DecoderInferenceBody"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EncoderInferenceResponse"] | components["schemas"]["DecoderInferenceResponse"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gliner-2": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The route of the GLiNER2 API client: runs the default encoder, or the one that `model` names */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Gliner2Body"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Gliner2Response"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of each component: 200 if all work, otherwise 503 */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HealthExplained"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** 200 while the process runs; checks no dependency */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["HealthStatus"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** 200 if requests can be served now, otherwise 503 */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Readiness"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        CreateApiKeyBody: {
            models?: string[] | null;
            requests_per_minute?: number | null;
            tokens_per_minute?: number | null;
            budget?: number | null;
            /** @enum {string|null} */
            budget_period?: "day" | "week" | "month" | null;
            name: string;
            /** Format: date-time */
            expires_at?: string | null;
            scopes?: ("inference" | "read" | "write" | "history" | "audit" | "weights")[] | null;
        };
        NewApiKey: {
            models: string[] | null;
            requests_per_minute: number | null;
            tokens_per_minute: number | null;
            budget: number | null;
            /** @enum {string|null} */
            budget_period: "day" | "week" | "month" | null;
            secret_key: string;
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            api_key_last_digits: string;
            /** Format: date-time */
            expires_at: string | null;
            scopes: ("inference" | "read" | "write" | "history" | "audit" | "weights")[] | null;
            /** Format: uuid */
            team_id: string;
            stripe_customer_created: boolean;
        };
        ApiKeyRecord: {
            models: string[] | null;
            requests_per_minute: number | null;
            tokens_per_minute: number | null;
            budget: number | null;
            /** @enum {string|null} */
            budget_period: "day" | "week" | "month" | null;
            budget_used: number | null;
            /** Format: date-time */
            budget_resets_at: string | null;
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            api_key_last_digits: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            expires_at: string | null;
            scopes: ("inference" | "read" | "write" | "history" | "audit" | "weights")[] | null;
            /** Format: uuid */
            team_id: string;
            usage_tokens: number;
            usage_cost: number;
            request_count: number;
        };
        ApiKeyList: {
            keys: components["schemas"]["ApiKeyRecord"][];
            count: number;
        };
        LimitApiKeyBody: {
            models?: string[] | null;
            requests_per_minute?: number | null;
            tokens_per_minute?: number | null;
            budget?: number | null;
            /** @enum {string|null} */
            budget_period?: "day" | "week" | "month" | null;
            key_id: string;
        };
        DeleteApiKeyBody: {
            key_id: string;
        };
        Done: {
            success: boolean;
            message: string | null;
        };
        SignInBody: {
            email: string;
            password: string;
        };
        SignedIn: {
            session_token: string;
            /** Format: date-time */
            expires_at: string;
        };
        SetPasswordBody: {
            current_password?: string | null;
            new_password: string;
        };
        SwitchWorkspaceBody: {
            workspace_id: string;
        };
        /** @enum {string} */
        Role: "owner" | "developer" | "analyst" | "auditor" | "runner";
        SessionWorkspace: {
            /** Format: uuid */
            id: string;
            owner_email: string | null;
            role: components["schemas"]["Role"];
        };
        SessionRecord: {
            /** Format: uuid */
            user_id: string;
            email: string | null;
            /** Format: uuid */
            team_id: string;
            /** Format: uuid */
            workspace_id: string;
            role: components["schemas"]["Role"] | null;
            permissions: ("inference" | "history" | "content" | "weights" | "audit" | "write" | "manage" | "own")[];
            workspaces: components["schemas"]["SessionWorkspace"][];
            has_password: boolean;
            /** Format: date-time */
            expires_at: string;
        };
        SignInMethods: {
            password: boolean;
            oidc: boolean;
        };
        CreateBatchBody: {
            input_file_id: string;
            /** @enum {string} */
            endpoint: "/v1/chat/completions" | "/v1/responses" | "/v1/completions" | "/v1/embeddings";
            /** @enum {string} */
            completion_window: "24h";
            metadata?: {
                [key: string]: string;
            } | null;
        };
        BatchProblem: {
            code: string;
            message: string;
            line: number | null;
            param: string | null;
        };
        BatchProblems: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["BatchProblem"][];
        };
        BatchCounts: {
            total: number;
            completed: number;
            failed: number;
        };
        BatchObject: {
            id: string;
            /** @enum {string} */
            object: "batch";
            /** @enum {string} */
            endpoint: "/v1/chat/completions" | "/v1/responses" | "/v1/completions" | "/v1/embeddings";
            errors: components["schemas"]["BatchProblems"] | null;
            input_file_id: string;
            completion_window: string;
            /** @enum {string} */
            status: "in_progress" | "completed" | "failed" | "expired" | "cancelling" | "cancelled";
            output_file_id: string | null;
            error_file_id: string | null;
            created_at: number;
            in_progress_at: number;
            expires_at: number;
            completed_at: number | null;
            failed_at: number | null;
            expired_at: number | null;
            cancelling_at: number | null;
            cancelled_at: number | null;
            request_counts: components["schemas"]["BatchCounts"];
            metadata: {
                [key: string]: string;
            } | null;
        };
        BatchList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["BatchObject"][];
            first_id: string | null;
            last_id: string | null;
            has_more: boolean;
        };
        DataUse: {
            opted_out: boolean;
            can_opt_out: boolean;
            meaning: string;
        };
        Enforcement: {
            enforced: boolean;
            card_required: boolean;
        };
        CreditStanding: {
            month: string;
            monthly_credits: number;
            spent: number;
            overage: number;
            overage_ceiling: number | null;
            paid_balance: number;
            available: number;
        };
        WorkspaceLimitRecord: {
            /** @enum {string} */
            name: "stored_bytes" | "stored_rows" | "open_uploads" | "training_jobs" | "evaluations" | "generation_jobs" | "exports" | "batches" | "webhooks" | "processing_versions" | "hosted_calls";
            limit: number;
            used: number | null;
            unit: string;
        };
        AccountRecord: {
            /** Format: uuid */
            team_id: string;
            team_name: string;
            members_count: number;
            /** Format: uuid */
            user_id: string;
            /** Format: uuid */
            workspace_id: string;
            /** @enum {string} */
            plan: "free" | "pro" | "enterprise";
            region: string | null;
            rollouts: string[];
            card_verified: boolean;
            data_use: components["schemas"]["DataUse"];
            enforcement: components["schemas"]["Enforcement"];
            credits: components["schemas"]["CreditStanding"];
            limits: components["schemas"]["WorkspaceLimitRecord"][];
            /** Format: date-time */
            created_at: string;
        };
        DataUseBody: {
            opted_out: boolean;
        };
        UsageRecord: {
            /** Format: date */
            day: string;
            model_id: string;
            api_key_id: string | null;
            request_count: number;
            failed_count: number;
            input_tokens: number;
            output_tokens: number;
            cache_read_tokens: number;
            cache_write_tokens: number;
            cost: number;
        };
        UsageList: {
            usage: components["schemas"]["UsageRecord"][];
            total: number;
            limit: number;
            offset: number;
        };
        LedgerEntryRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "top_up" | "correction" | "monthly_credits" | "overage_ceiling";
            amount: number | null;
            reason: string | null;
            inference_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        LedgerList: {
            entries: components["schemas"]["LedgerEntryRecord"][];
            total: number;
            limit: number;
            offset: number;
        };
        BaseModel: {
            id: string;
            label: string;
            description: string;
            /** @enum {string} */
            task_type: "encoder" | "decoder" | "embedding";
            family: string;
            multilingual: boolean;
            context_window: number;
            release_month: string | null;
            input_price_per_million: number | null;
            output_price_per_million: number | null;
            cache_read_price_per_million: number | null;
            cache_write_price_per_million: number | null;
            supports_inference: boolean;
            supports_training: boolean;
            supports_on_demand_inference: boolean;
            deprecated: boolean;
            tier?: string;
        };
        BaseModelList: {
            models: components["schemas"]["BaseModel"][];
        };
        Model: {
            id: string;
            /** @enum {string} */
            object: "model";
            /** @enum {string} */
            type: "model";
            created: number;
            /** Format: date-time */
            created_at: string;
            owned_by: string;
            display_name: string;
            /** @enum {string} */
            lifecycle: "active" | "deprecated";
            max_input_tokens: number | null;
            max_tokens: number | null;
            capabilities: Record<string, never> | null;
            line: string | null;
            deprecated_at: string | null;
            retires_at: string | null;
        };
        ModelList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["Model"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        PushBody: {
            repo_id: string;
            hf_token: string;
            /** @default true */
            private?: boolean | null;
            commit_message?: string | null;
        };
        PushedRecord: {
            success: boolean;
            url: string;
            repo_id: string;
            message: string;
        };
        PullBody: {
            repo_id: string;
            config?: string | null;
            split?: string | null;
            /** @default main */
            revision?: string | null;
            hf_token?: string | null;
            dataset_name: string;
            /** @enum {string} */
            dataset_type: "ner" | "classification" | "custom" | "decoder";
            /** @enum {string|null} */
            format?: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | "rows" | "label-studio" | "label-studio-min" | "openai-evals" | "promptfoo" | "langfuse-dataset" | "mlflow" | "argilla" | "prodigy" | "doccano" | "doccano-joined" | "gliner2" | "gliner" | "ai4privacy" | "vertex-ai" | "ground-truth" | "azure-utterances" | "rasa" | "intent-examples" | "dataturks" | "spacy" | "spacy-paragraphs" | "tokens" | "hf-pipeline" | "inference" | "class-columns" | "class-levels" | "text-and-class" | "spans" | null;
            column_mapping?: {
                [key: string]: string;
            } | null;
            label_names?: {
                [key: string]: string[];
            } | null;
            /** @enum {string|null} */
            on_error?: "fail" | "skip" | null;
            project_id?: string | null;
        };
        RowErrorRecord: {
            row: number;
            field: string;
            reason: string;
        };
        RowReasonRecord: {
            reason: string;
            rows: number;
            first_row: number;
        };
        RowErrorsRecord: {
            total: number;
            rows: components["schemas"]["RowErrorRecord"][];
            reasons?: components["schemas"]["RowReasonRecord"][];
        };
        ClassTaskRecord: {
            name: string;
            labels: string[];
            multi_label: boolean;
        };
        LeftOutRecord: {
            rows: number;
            unlabelled: number;
            of: number;
            reasons: components["schemas"]["RowReasonRecord"][];
            listed: number;
        };
        DatasetDescription: {
            purpose: string | null;
            source: string | null;
            license: string | null;
            consent: string | null;
            guidelines: string;
            by: string;
            /** Format: date-time */
            at: string;
        };
        DatasetVersionRecord: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            dataset_id: string;
            name: string;
            dataset_name: string;
            /** @enum {string} */
            dataset_type: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
            heads: ("entities" | "classification" | "structures" | "relations" | "messages" | "preferences")[];
            /** @enum {string} */
            type: "training" | "benchmark";
            version_number: string;
            /** @enum {string} */
            status: "initialized" | "uploading" | "converting" | "validating" | "ready" | "failed";
            processing_error: string | null;
            row_errors?: components["schemas"]["RowErrorsRecord"];
            sample_size: number;
            size: number;
            labels: string[];
            class_tasks?: components["schemas"]["ClassTaskRecord"][];
            /** @enum {string|null} */
            format: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | null;
            read_as: string | null;
            left_out?: components["schemas"]["LeftOutRecord"];
            generation_type: string;
            project_id: string | null;
            description?: components["schemas"]["DatasetDescription"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        HubPreviewBody: {
            repo_id: string;
            config?: string | null;
            split?: string | null;
            /** @default main */
            revision?: string | null;
            hf_token?: string | null;
            /** @default 10 */
            limit?: number | null;
        };
        HubPreview: {
            rows: {
                [key: string]: unknown;
            }[];
            total_rows: number | null;
            columns: string[];
        };
        UploadUrlBody: {
            purpose?: string | null;
            source?: string | null;
            license?: string | null;
            consent?: string | null;
            guidelines?: string | null;
            dataset_name: string;
            /** @enum {string|null} */
            dataset_type?: "ner" | "classification" | "custom" | "decoder" | null;
            /** @enum {string|null} */
            type?: "training" | null;
            filename?: string | null;
            file_name?: string | null;
            /** @enum {string|null} */
            format?: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | "rows" | "label-studio" | "label-studio-min" | "openai-evals" | "promptfoo" | "langfuse-dataset" | "mlflow" | "argilla" | "prodigy" | "doccano" | "doccano-joined" | "gliner2" | "gliner" | "ai4privacy" | "vertex-ai" | "ground-truth" | "azure-utterances" | "rasa" | "intent-examples" | "dataturks" | "spacy" | "spacy-paragraphs" | "tokens" | "hf-pipeline" | "inference" | "class-columns" | "class-levels" | "text-and-class" | "spans" | null;
            project_id?: string | null;
            column_mapping?: {
                [key: string]: string;
            } | null;
            label_names?: {
                [key: string]: string[];
            } | null;
            /** @enum {string|null} */
            on_error?: "fail" | "skip" | null;
        };
        UploadUrl: {
            presigned_url: string;
            upload_url: string;
            /** Format: uuid */
            dataset_id: string;
            dataset_name: string;
            version_number: string;
            expires_in: number;
        };
        ProcessBody: {
            /** @enum {string|null} */
            dataset_type?: "ner" | "classification" | "custom" | "decoder" | null;
            /** @enum {string|null} */
            format?: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | "rows" | "label-studio" | "label-studio-min" | "openai-evals" | "promptfoo" | "langfuse-dataset" | "mlflow" | "argilla" | "prodigy" | "doccano" | "doccano-joined" | "gliner2" | "gliner" | "ai4privacy" | "vertex-ai" | "ground-truth" | "azure-utterances" | "rasa" | "intent-examples" | "dataturks" | "spacy" | "spacy-paragraphs" | "tokens" | "hf-pipeline" | "inference" | "class-columns" | "class-levels" | "text-and-class" | "spans" | null;
            column_mapping?: {
                [key: string]: string;
            } | null;
            label_names?: {
                [key: string]: string[];
            } | null;
            /** @enum {string|null} */
            on_error?: "fail" | "skip" | null;
            /** Format: uuid */
            dataset_id: string;
        };
        FromFeedbackBody: {
            dataset_name: string;
            /** @enum {string|null} */
            dataset_type?: "decoder" | null;
            model?: string | null;
            project_id?: string | null;
            /** Format: date-time */
            since?: string | null;
            /** Format: date-time */
            until?: string | null;
            /** @enum {string|null} */
            verdict?: "correct" | "incorrect" | null;
            label?: string | null;
            /** @enum {string|null} */
            conflicts?: "newest" | "majority" | null;
            /** @default 0 */
            held_out_share?: number | null;
            merge_with?: string | null;
            exclude_subjects?: string[] | null;
            merge_with_version?: string | number | null;
        };
        LeftOut: {
            unsure: number;
            without_content: number;
            other_tasks: number;
            excluded_subjects: number;
            without_pair: number;
            duplicates: number;
        };
        ConflictingText: {
            text: string;
            inference_ids: string[];
        };
        MergedWith: {
            /** Format: uuid */
            dataset_id: string;
            dataset_name: string;
            version_number: string;
            rows: number;
            kept: number;
            replaced: number;
            duplicates: number;
            newer: number;
            held_out: number;
            excluded_subjects: number;
            conflicting: string[];
        };
        FromFeedback: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            dataset_id: string;
            name: string;
            dataset_name: string;
            /** @enum {string} */
            dataset_type: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
            heads: ("entities" | "classification" | "structures" | "relations" | "messages" | "preferences")[];
            /** @enum {string} */
            type: "training" | "benchmark";
            version_number: string;
            /** @enum {string} */
            status: "initialized" | "uploading" | "converting" | "validating" | "ready" | "failed";
            processing_error: string | null;
            row_errors?: components["schemas"]["RowErrorsRecord"];
            sample_size: number;
            size: number;
            labels: string[];
            class_tasks?: components["schemas"]["ClassTaskRecord"][];
            /** @enum {string|null} */
            format: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | null;
            read_as: string | null;
            generation_type: string;
            project_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            rows: number;
            left_out: components["schemas"]["LeftOut"];
            conflict_count: number;
            conflicting: components["schemas"]["ConflictingText"][];
            held_out: components["schemas"]["DatasetVersionRecord"] | null;
            merged_with: components["schemas"]["MergedWith"] | null;
        };
        MergeSourceReference: {
            dataset_name: string;
            version?: string | number | null;
        };
        MergeBody: {
            sources: components["schemas"]["MergeSourceReference"][];
            output_name: string;
        };
        Merged: {
            dataset_name: string;
            version: string;
            sample_size: number;
            source_counts: {
                [key: string]: number;
            };
        };
        ListedDataset: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            dataset_id: string;
            name: string;
            dataset_name: string;
            /** @enum {string} */
            dataset_type: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
            heads: ("entities" | "classification" | "structures" | "relations" | "messages" | "preferences")[];
            /** @enum {string} */
            type: "training" | "benchmark";
            version_number: string;
            /** @enum {string} */
            status: "initialized" | "uploading" | "converting" | "validating" | "ready" | "failed";
            processing_error: string | null;
            row_errors?: components["schemas"]["RowErrorsRecord"];
            sample_size: number;
            size: number;
            labels: string[];
            class_tasks?: components["schemas"]["ClassTaskRecord"][];
            /** @enum {string|null} */
            format: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | null;
            read_as: string | null;
            left_out?: components["schemas"]["LeftOutRecord"];
            generation_type: string;
            project_id: string | null;
            description?: components["schemas"]["DatasetDescription"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            version_count: number;
        };
        DatasetList: {
            success: boolean;
            count: number;
            total: number;
            datasets: components["schemas"]["ListedDataset"][];
        };
        VersionList: {
            success: boolean;
            count: number;
            versions: components["schemas"]["DatasetVersionRecord"][];
        };
        DatasetDescriptionBody: {
            purpose?: string | null;
            source?: string | null;
            license?: string | null;
            consent?: string | null;
            guidelines?: string | null;
        };
        Deleted: {
            success: boolean;
            message: string | null;
        };
        Proposed: {
            /** @enum {string} */
            status: "proposed";
            /** Format: uuid */
            proposal_id: string;
            /** Format: date-time */
            expires_at: string;
            message: string;
        };
        DestroyedKey: {
            id: string;
            fingerprint: string;
        };
        EventProof: {
            leaf_index: number;
            digest: string;
            inclusion_proof: string[];
        };
        EventCitation: {
            type: string;
            position: string;
            stream: string;
            revision: number;
            /** Format: date-time */
            time: string;
            confirmed_by?: string;
            reason?: string;
            ticket?: string;
            proof?: components["schemas"]["EventProof"] | null;
        };
        LearnedVersion: {
            version_id: string;
            name: string;
            version: number;
        };
        LearnedJob: {
            job_id: string;
            model_name: string;
            models: string[];
        };
        LearnedFrom: {
            dataset_versions: components["schemas"]["LearnedVersion"][];
            jobs: components["schemas"]["LearnedJob"][];
        };
        DatasetErasure: {
            /** @enum {string} */
            object: "dataset_erasure_certificate";
            name: string;
            version: number;
            version_id: string;
            rows: number | null;
            sha256: string | null;
            /** Format: date-time */
            erased_at: string;
            erased_by: string;
            keys: components["schemas"]["DestroyedKey"][];
            event: components["schemas"]["EventCitation"];
            learned: components["schemas"]["LearnedFrom"];
            remains: string[];
        };
        DeletedVersion: {
            success: boolean;
            message: string | null;
            certificate?: components["schemas"]["DatasetErasure"];
        };
        Preview: {
            rows: {
                [key: string]: unknown;
            }[];
            row_numbers: number[];
            found_rows: number;
            total_rows: number;
        };
        ReadingPreviewBody: {
            /** @enum {string|null} */
            dataset_type?: "ner" | "classification" | "custom" | "decoder" | null;
            /** @enum {string|null} */
            format?: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | "rows" | "label-studio" | "label-studio-min" | "openai-evals" | "promptfoo" | "langfuse-dataset" | "mlflow" | "argilla" | "prodigy" | "doccano" | "doccano-joined" | "gliner2" | "gliner" | "ai4privacy" | "vertex-ai" | "ground-truth" | "azure-utterances" | "rasa" | "intent-examples" | "dataturks" | "spacy" | "spacy-paragraphs" | "tokens" | "hf-pipeline" | "inference" | "class-columns" | "class-levels" | "text-and-class" | "spans" | null;
            column_mapping?: {
                [key: string]: string;
            } | null;
            label_names?: {
                [key: string]: string[];
            } | null;
            /** @enum {string|null} */
            on_error?: "fail" | "skip" | null;
            /** @default 10 */
            limit?: number | null;
        };
        FileColumn: {
            name: string;
            values: unknown[];
        };
        LeftOutRow: {
            row: number;
            reason: string;
            data: {
                [key: string]: unknown;
            } | null;
        };
        SuggestedReading: {
            column_mapping: {
                [key: string]: string;
            };
            label_names: {
                [key: string]: string[];
            };
        };
        UploadPreview: {
            rows: {
                [key: string]: unknown;
            }[];
            columns: components["schemas"]["FileColumn"][];
            rows_read: number;
            whole: boolean;
            processing_error: string | null;
            row_errors?: components["schemas"]["RowErrorsRecord"];
            left_out?: components["schemas"]["LeftOutRecord"];
            left_out_rows: components["schemas"]["LeftOutRow"][];
            heads: string[];
            labels: string[];
            /** @enum {string|null} */
            format: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | null;
            read_as: string | null;
            suggested: components["schemas"]["SuggestedReading"] | null;
        };
        LabelCountRecord: {
            label: string;
            rows: number;
            count: number;
        };
        LabelCountList: {
            total: number;
            truncated: boolean;
            labels: components["schemas"]["LabelCountRecord"][];
        };
        HeadReportRecord: {
            head: string;
            rows: number;
            empty_rows: number;
            labels: components["schemas"]["LabelCountList"];
        };
        RowList: {
            total: number;
            truncated: boolean;
            rows: number[];
        };
        RepeatedRow: {
            row: number;
            same_as: number;
        };
        RepeatedRows: {
            total: number;
            truncated: boolean;
            rows: components["schemas"]["RepeatedRow"][];
        };
        ConflictingRow: {
            row: number;
            same_as: number;
            head: string;
        };
        ConflictingRows: {
            total: number;
            truncated: boolean;
            rows: components["schemas"]["ConflictingRow"][];
        };
        RareLabelRecord: {
            head: string;
            label: string;
            rows: number;
        };
        RareLabels: {
            min_rows: number;
            total: number;
            truncated: boolean;
            labels: components["schemas"]["RareLabelRecord"][];
        };
        SimilarLabelGroup: {
            head: string;
            labels: string[];
        };
        SimilarLabelGroups: {
            total: number;
            truncated: boolean;
            groups: components["schemas"]["SimilarLabelGroup"][];
        };
        LengthQuantiles: {
            rows: number;
            min: number;
            p50: number;
            p90: number;
            p99: number;
            max: number;
        };
        UnalignedSpanRecord: {
            row: number;
            label: string;
            text: string;
            /** @enum {string} */
            fault: "not_found" | "blank" | "overlapping" | "within_token";
        };
        UnalignedSpans: {
            total: number;
            not_found: number;
            blank: number;
            overlapping: number;
            within_token: number;
            truncated: boolean;
            spans: components["schemas"]["UnalignedSpanRecord"][];
        };
        RepeatedAnnotationRecord: {
            row: number;
            /** @enum {string} */
            head: "entities" | "classification" | "structures" | "relations" | "messages" | "preferences";
            label: string;
        };
        RepeatedAnnotations: {
            total: number;
            truncated: boolean;
            annotations: components["schemas"]["RepeatedAnnotationRecord"][];
        };
        LeakedRow: {
            row: number;
            held_out_row: number;
            exact: boolean;
        };
        HeldOutReportRecord: {
            dataset_name: string;
            version_number: string;
            rows: number;
            compared_rows: number;
            leaked_rows: number;
            total: number;
            exact: number;
            truncated: boolean;
            leaks: components["schemas"]["LeakedRow"][];
        };
        VersionReportRecord: {
            dataset_name: string;
            version_number: string;
            read_as: string | null;
            rows: number;
            rows_without_text: number;
            compared_rows: number;
            heads: components["schemas"]["HeadReportRecord"][];
            unlabelled: components["schemas"]["RowList"];
            exact_duplicates: components["schemas"]["RepeatedRows"];
            normalised_duplicates: components["schemas"]["RepeatedRows"];
            conflicts: components["schemas"]["ConflictingRows"];
            rare_labels: components["schemas"]["RareLabels"];
            similar_labels: components["schemas"]["SimilarLabelGroups"];
            one_class: boolean;
            characters: components["schemas"]["LengthQuantiles"] | null;
            tokens: components["schemas"]["LengthQuantiles"] | null;
            unaligned_spans: components["schemas"]["UnalignedSpans"];
            repeated_annotations: components["schemas"]["RepeatedAnnotations"];
            held_out: components["schemas"]["HeldOutReportRecord"] | null;
        };
        RowChangeRecord: {
            /** @enum {string} */
            kind: "added" | "removed" | "changed";
            from_row: number | null;
            row: number | null;
        };
        VersionDiffRecord: {
            dataset_name: string;
            version_number: string;
            from_version: string;
            added: number;
            removed: number;
            changed: number;
            unchanged: number;
            compared_rows: number;
            from_compared_rows: number;
            total: number;
            truncated: boolean;
            changes: components["schemas"]["RowChangeRecord"][];
        };
        DeletedDatasetVersion: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            dataset_id: string;
            name: string;
            dataset_name: string;
            /** @enum {string} */
            dataset_type: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
            heads: ("entities" | "classification" | "structures" | "relations" | "messages" | "preferences")[];
            /** @enum {string} */
            type: "training" | "benchmark";
            version_number: string;
            /** @enum {string} */
            status: "initialized" | "uploading" | "converting" | "validating" | "ready" | "failed";
            processing_error: string | null;
            row_errors?: components["schemas"]["RowErrorsRecord"];
            sample_size: number;
            size: number;
            labels: string[];
            class_tasks?: components["schemas"]["ClassTaskRecord"][];
            /** @enum {string|null} */
            format: "json" | "jsonl" | "csv" | "tsv" | "parquet" | "arrow" | "conll" | "fasttext" | "webanno" | "brat" | null;
            read_as: string | null;
            left_out?: components["schemas"]["LeftOutRecord"];
            generation_type: string;
            project_id: string | null;
            description?: components["schemas"]["DatasetDescription"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            deleted_at: string;
        };
        DeletedVersions: {
            success: boolean;
            count: number;
            versions: components["schemas"]["DeletedDatasetVersion"][];
        };
        RestoreBody: {
            version?: number | null;
        };
        DistillableField: {
            path: string;
            reason: string;
        };
        DistillableDoubt: {
            /** @enum {string} */
            code: "free_text" | "answers_not_mapped" | "one_sided" | "too_few_calls" | "random" | "cut_not_certain" | "teacher_disagrees_with_itself" | "unmapped_fields" | "uncertain_fields";
            message: string;
            missing_calls?: number;
            fields?: components["schemas"]["DistillableField"][];
        };
        DistillableHead: {
            path: string;
            /** @enum {string} */
            kind: "class" | "classes" | "span" | "spans" | "entities" | "records" | "constant" | "null" | "omitted";
            labels: string[] | null;
            choices: ("class" | "classes" | "span" | "spans" | "entities" | "records" | "constant" | "null" | "omitted")[];
        };
        DistillableShare: {
            target_agreement: number;
            share: number | null;
        };
        DistillableEstimate: {
            judged_calls: number;
            agreement: number;
            guessed: number;
            shares: components["schemas"]["DistillableShare"][];
        };
        DistillableTask: {
            model: string;
            calls: number;
            tokens: number;
            cost: number;
            cost_a_month: number;
            /** Format: date-time */
            first_call_at: string;
            /** Format: date-time */
            last_call_at: string;
            id: string;
            /** @enum {string} */
            form: "label" | "json" | "tool" | "text";
            has_schema: boolean;
            prompt: string | null;
            distinct_calls: number;
            self_agreement: number | null;
            /** @enum {string} */
            suitable: "yes" | "ask" | "no";
            doubts: components["schemas"]["DistillableDoubt"][];
            heads: components["schemas"]["DistillableHead"][] | null;
            estimate: components["schemas"]["DistillableEstimate"] | null;
            no_estimate_because: string | null;
        };
        DistillableRefused: {
            model: string;
            calls: number;
            tokens: number;
            cost: number;
            cost_a_month: number;
            /** Format: date-time */
            first_call_at: string;
            /** Format: date-time */
            last_call_at: string;
            reason: string;
        };
        DistillableLeftOut: {
            not_kept: number | null;
            erased: number;
            failed: number;
            disputed: number;
        };
        DistillableTasks: {
            tasks: components["schemas"]["DistillableTask"][];
            refused: components["schemas"]["DistillableRefused"][];
            left_out: components["schemas"]["DistillableLeftOut"];
            /** @enum {string|null} */
            limit: "calls" | "bytes" | null;
            /** Format: date-time */
            from: string | null;
            /** Format: date-time */
            until: string;
            content_withheld: boolean;
        };
        StartEvaluationBody: {
            base_model?: string | null;
            model_id?: string | null;
            dataset_name?: string | null;
            version_number?: string | number | null;
            held_out_of?: string | null;
            cross_validation_of?: string | null;
            folds?: number | null;
            max_examples?: number | null;
            max_answer_tokens?: number | null;
            judge_model_id?: string | null;
            judge_rubric?: string | null;
            max_cost?: number | null;
            project_id?: string | null;
        };
        CalibrationBin: {
            from: number;
            to: number;
            count: number;
            mean_confidence: number | null;
            accuracy: number | null;
        };
        HeadCalibration: {
            expected_calibration_error: number;
            bins: components["schemas"]["CalibrationBin"][];
        };
        Interval: {
            low: number;
            high: number;
        };
        LabelIntervals: {
            f1: components["schemas"]["Interval"];
            precision: components["schemas"]["Interval"];
            recall: components["schemas"]["Interval"];
        };
        HeadIntervals: {
            f1: components["schemas"]["Interval"];
            precision: components["schemas"]["Interval"];
            recall: components["schemas"]["Interval"];
            accuracy: components["schemas"]["Interval"];
        };
        FigureIntervals: {
            f1: components["schemas"]["Interval"];
            precision: components["schemas"]["Interval"];
            recall: components["schemas"]["Interval"];
            accuracy: components["schemas"]["Interval"];
            heads: {
                [key: string]: components["schemas"]["HeadIntervals"];
            };
            per_entity: {
                [key: string]: components["schemas"]["LabelIntervals"];
            };
        };
        ConfusionRecord: {
            head: string;
            expected: string | null;
            predicted: string | null;
            count: number;
        };
        Confusions: {
            total: number;
            truncated: boolean;
            pairs: components["schemas"]["ConfusionRecord"][];
        };
        Measured: {
            value: number;
            low: number;
            high: number;
        };
        JsonFigures: {
            rows: number;
            validity: components["schemas"]["Measured"];
            field_f1: components["schemas"]["Measured"];
            field_precision: components["schemas"]["Measured"];
            field_recall: components["schemas"]["Measured"];
        };
        JudgeFigures: {
            score: components["schemas"]["Measured"] | null;
            scored: number;
            malformed: number;
            refused: number;
        };
        GenerationFigures: {
            exact_match: components["schemas"]["Measured"];
            normalized_exact_match: components["schemas"]["Measured"];
            rouge_l: components["schemas"]["Measured"];
            bleu: components["schemas"]["Measured"];
            json: components["schemas"]["JsonFigures"] | null;
            perplexity: components["schemas"]["Measured"] | null;
            judge: components["schemas"]["JudgeFigures"] | null;
        };
        EvaluationMetrics: {
            heads: {
                [key: string]: unknown;
            };
            per_entity: {
                [key: string]: components["schemas"]["LabelFigures"];
            };
            intervals: components["schemas"]["FigureIntervals"] | null;
            confusions: components["schemas"]["Confusions"] | null;
            calibration: {
                [key: string]: components["schemas"]["HeadCalibration"];
            } | null;
            generation: components["schemas"]["GenerationFigures"] | null;
        };
        HostedUsage: {
            calls: number;
            input_tokens: number;
            output_tokens: number;
            cost: number;
        };
        JudgeRecord: {
            model_id: string;
            provider: string;
            provider_model: string;
            rubric: string;
            prompt_version: number;
        };
        EvaluationEngine: {
            name: string;
            version: string;
        };
        EvaluationWarning: {
            /** @enum {string} */
            code: "overlaps_training_rows" | "unscored_answers";
            message: string;
        };
        Prediction: {
            row: number;
            text: string;
            expected: {
                [key: string]: unknown;
            };
            predicted: {
                [key: string]: unknown;
            };
            correct: boolean;
            certainty?: number;
        };
        EvaluationRecord: {
            /** Format: uuid */
            id: string;
            model_id: string;
            base_model: string;
            dataset_name: string;
            version_number: string;
            /** @enum {string} */
            status: "queued" | "running" | "complete" | "failed";
            progress_percent: number | null;
            f1: number | null;
            precision: number | null;
            recall: number | null;
            f1_score: number | null;
            precision_score: number | null;
            recall_score: number | null;
            accuracy: number | null;
            bleu_score: number | null;
            rouge_l_score: number | null;
            exact_match: number | null;
            macro_f1: number | null;
            metrics: components["schemas"]["EvaluationMetrics"] | null;
            usage: components["schemas"]["HostedUsage"] | null;
            judge: components["schemas"]["JudgeRecord"] | null;
            judge_usage: components["schemas"]["HostedUsage"] | null;
            sample_count: number | null;
            engine: components["schemas"]["EvaluationEngine"];
            max_answer_tokens: number | null;
            overlapping_rows: number | null;
            warnings: components["schemas"]["EvaluationWarning"][];
            automatic: boolean;
            training_job_id: string | null;
            folds: number | null;
            project_id: string | null;
            error_message: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            completed_at: string | null;
            waiting_reason?: string;
            predictions?: components["schemas"]["Prediction"][];
            /** Format: date-time */
            predictions_erased_at?: string;
            content_withheld?: boolean;
            limit?: number;
            offset?: number;
        };
        EvaluationList: {
            success: boolean;
            evaluations: components["schemas"]["EvaluationRecord"][];
            count: number;
            total: number;
            has_more: boolean;
        };
        ComparedDifference: {
            value: number;
            low: number | null;
            high: number | null;
        };
        ComparedFigure: {
            value: number;
            with_value: number;
            difference: components["schemas"]["ComparedDifference"];
            wins: number;
            losses: number;
            ties: number;
            p_value: number;
            /** @enum {string} */
            test: "exact_mcnemar" | "approximate_randomization";
        };
        ComparedFigures: {
            correct: components["schemas"]["ComparedFigure"];
            f1?: components["schemas"]["ComparedFigure"] | null;
            exact_match?: components["schemas"]["ComparedFigure"] | null;
            normalized_exact_match?: components["schemas"]["ComparedFigure"] | null;
            rouge_l?: components["schemas"]["ComparedFigure"] | null;
            bleu?: components["schemas"]["ComparedFigure"] | null;
            json_validity?: components["schemas"]["ComparedFigure"] | null;
            json_field_f1?: components["schemas"]["ComparedFigure"] | null;
            judge?: components["schemas"]["ComparedFigure"] | null;
        };
        EvaluationComparison: {
            /** Format: uuid */
            evaluation_id: string;
            /** Format: uuid */
            with_evaluation_id: string;
            model_id: string;
            with_model_id: string;
            dataset_name: string;
            version_number: string;
            sample_count: number;
            figures: components["schemas"]["ComparedFigures"];
        };
        ReadEvent: {
            position: string;
            stream: string;
            revision: number;
        };
        ReadRecord: {
            actor: string;
            resource: string;
            route: string;
            count: number;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            until: string;
            event: components["schemas"]["ReadEvent"];
        };
        ReadPage: {
            reads: components["schemas"]["ReadRecord"][];
            next_cursor: string | null;
        };
        ReportRecord: {
            /** @enum {string} */
            kind: "card" | "logs" | "access" | "incidents";
            name: string;
            title: string;
            head: {
                [key: string]: unknown;
            };
            sections: {
                [key: string]: unknown;
            }[];
        };
        ReportList: {
            reports: components["schemas"]["ReportRecord"][];
        };
        EventRecord: {
            /** Format: uuid */
            id: string;
            type: string;
            stream: string;
            revision: number;
            position: string;
            data: {
                [key: string]: unknown;
            };
            actor: string;
            correlation_id: string;
            causation_id: string;
            /** Format: date-time */
            occurred_at: string;
            by?: string;
            reason?: string;
            ticket?: string;
            confirmed_by?: string;
        };
        EventPage: {
            events: components["schemas"]["EventRecord"][];
            next_from: number | null;
        };
        LogPage: {
            events: components["schemas"]["EventRecord"][];
            next_cursor: string | null;
        };
        EventType: {
            type: string;
            category: string;
            writers: string[];
            kept: boolean;
            description: string | null;
            read_as: string | null;
            schema: {
                [key: string]: unknown;
            } | null;
        };
        EventTypeList: {
            data: components["schemas"]["EventType"][];
        };
        FileUploadForm: {
            /** Format: binary */
            file: string;
            /** @enum {string} */
            purpose: "fine-tune" | "batch";
        };
        FileObject: {
            id: string;
            /** @enum {string} */
            object: "file";
            bytes: number;
            created_at: number;
            filename: string;
            /** @enum {string} */
            purpose: "fine-tune" | "batch" | "batch_output";
            /** @enum {string} */
            status: "uploaded" | "processed" | "error";
            status_details?: string;
        };
        FileList: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["FileObject"][];
            first_id: string | null;
            last_id: string | null;
            has_more: boolean;
        };
        DeletedFile: {
            id: string;
            /** @enum {string} */
            object: "file";
            deleted: boolean;
        };
        FieldBody: {
            name: string;
            /** @enum {string|null} */
            type?: "string" | "number" | "boolean" | "list" | null;
            description?: string | null;
            choices?: string[] | null;
        };
        StructureBody: {
            name: string;
            fields: components["schemas"]["FieldBody"][];
        };
        RelationBody: {
            name: string;
            head?: string | null;
            tail?: string | null;
            description?: string | null;
        };
        ClassifiedExampleBody: {
            text: string;
            label: string;
        };
        GenerateBody: {
            /** @enum {string} */
            task_type: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
            dataset_name?: string | null;
            labels?: string[] | null;
            structures?: components["schemas"]["StructureBody"][] | null;
            relations?: components["schemas"]["RelationBody"][] | null;
            /** @default 100 */
            num_examples?: number | null;
            domain_description?: string | null;
            prompt?: string | null;
            instruction?: string | null;
            fields?: components["schemas"]["FieldBody"][] | null;
            input_fields?: components["schemas"]["FieldBody"][] | null;
            output_fields?: components["schemas"]["FieldBody"][] | null;
            classified_examples?: components["schemas"]["ClassifiedExampleBody"][] | null;
            save_dataset?: boolean | null;
            project_id?: string | null;
            seed?: number | null;
            /** @default built-in */
            model_id?: string | null;
        };
        GenerationStarted: {
            /** Format: uuid */
            job_id: string;
            /** @enum {string} */
            status: "queued";
        };
        LabelExistingBody: {
            inputs: string[];
            labels: string[];
            /** @default false */
            multi_label?: boolean | null;
            threshold?: number | null;
            save_dataset?: boolean | null;
            dataset_name?: string | null;
            domain_description?: string | null;
            model_id?: string | null;
            project_id?: string | null;
        };
        GenerationWarningRecord: {
            code: string;
            message: string;
        };
        LabelledRows: {
            success: boolean;
            count: number;
            data: {
                [key: string]: unknown;
            }[];
            dataset_name?: string | null;
            version_number?: string;
            model_used: string;
            warnings?: components["schemas"]["GenerationWarningRecord"][];
        };
        GenerationJobRecord: {
            /** Format: uuid */
            job_id: string;
            /** @enum {string} */
            status: "queued" | "generating" | "ready" | "failed";
            /** @enum {string} */
            task_type: "ner" | "classification" | "custom" | "decoder" | "records" | "fields";
            dataset_name: string | null;
            version_number: string | null;
            count: number;
            progress_percent: number;
            error: string | null;
            /** Format: date-time */
            created_at: string;
            model_id: string;
            num_examples: number;
            seed: number;
            project_id: string | null;
            distinct_share: number | null;
            warnings: components["schemas"]["GenerationWarningRecord"][];
            /** Format: date-time */
            erased_at?: string;
            data?: {
                [key: string]: unknown;
            }[];
        };
        GenerationErasure: {
            /** @enum {string} */
            object: "generation_erasure_certificate";
            /** Format: uuid */
            job_id: string;
            /** Format: date-time */
            erased_at: string;
            erased_by: string;
            keys: components["schemas"]["DestroyedKey"][];
            event: components["schemas"]["EventCitation"];
            remains: string[];
        };
        ErasedGenerationJob: {
            success: boolean;
            message: string | null;
            certificate: components["schemas"]["GenerationErasure"];
        };
        CallsToLearn: {
            model?: string | null;
            project_id?: string | null;
            /** Format: date-time */
            since?: string | null;
            /** Format: date-time */
            until?: string | null;
        };
        DatasetReference: {
            name: string;
            version?: string | number | null;
        };
        LabelBody: {
            dataset: components["schemas"]["DatasetReference"];
            budget: number;
        };
        WantedHeadBody: {
            path: string;
            /** @enum {string} */
            kind: "class" | "classes" | "span" | "spans" | "entities" | "records" | "constant" | "null" | "omitted";
        };
        DistilBody: {
            teacher: string;
            from?: components["schemas"]["CallsToLearn"] | null;
            label?: components["schemas"]["LabelBody"] | null;
            task?: string | null;
            target_agreement?: number | null;
            audit_share?: number | null;
            /** @enum {string|null} */
            unmapped?: "null" | "refuse" | null;
            /** @enum {string|null} */
            prompt_versions?: "newest" | "all" | null;
            heads?: components["schemas"]["WantedHeadBody"][] | null;
            base_model?: string | null;
        };
        WantedHeadRecord: {
            path: string;
            /** @enum {string} */
            kind: "class" | "classes" | "span" | "spans" | "entities" | "records" | "constant" | "null" | "omitted";
        };
        LabellingRecord: {
            dataset_name: string;
            dataset_version: number;
            budget: number;
            batch_id: string | null;
            texts: number | null;
            copies: number | null;
            labelled: number | null;
            not_labelled: number | null;
            reason: string | null;
        };
        LearnedCalls: {
            read: number;
            left_out: {
                [key: string]: number;
            };
            of_task: number;
            not_mapped: number;
            other_versions: number;
            copies: number;
            near_copies: number;
            rows: number;
            own_agreement: number | null;
        };
        BoundRecord: {
            threshold: number;
            answered: number;
            disagreements: number;
            judged: number;
        };
        LiveCascadeRecord: {
            /** @enum {string} */
            state: "watching" | "open" | "returned";
            threshold: number | null;
            suspected: boolean;
            reason: string | null;
            watched: number;
            watched_disagreements: number;
            audited: number;
            disagreements: number;
        };
        DistillationStageRecord: {
            /** @enum {string} */
            stage: "labelling" | "collecting" | "training" | "validating" | "calibrating" | "in_use" | "candidate" | "refused" | "failed" | "cancelled";
            /** Format: date-time */
            at: string;
        };
        DistillationRecord: {
            /** Format: uuid */
            id: string;
            model: string;
            teacher: string;
            /** @enum {string} */
            status: "labelling" | "collecting" | "training" | "validating" | "calibrating" | "in_use" | "candidate" | "refused" | "failed" | "cancelled";
            reason: string | null;
            version: number | null;
            target_agreement: number;
            audit_share: number;
            /** @enum {string} */
            trigger: "request" | "corrections" | "weekly";
            /** @enum {string} */
            unmapped: "null" | "refuse";
            /** @enum {string} */
            prompt_versions: "newest" | "all";
            heads: components["schemas"]["WantedHeadRecord"][];
            base_model: string;
            /** @enum {string} */
            task_type: "encoder" | "decoder";
            task: string | null;
            from_model: string | null;
            project_id: string | null;
            /** Format: date-time */
            since: string | null;
            /** Format: date-time */
            until: string | null;
            labelling: components["schemas"]["LabellingRecord"] | null;
            calls: components["schemas"]["LearnedCalls"] | null;
            dataset_name: string | null;
            dataset_version: number | null;
            training_job_id: string | null;
            evaluation_id: string | null;
            share: number | null;
            bound: components["schemas"]["BoundRecord"] | null;
            cascade: components["schemas"]["LiveCascadeRecord"] | null;
            stages: components["schemas"]["DistillationStageRecord"][];
            stream: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            completed_at: string | null;
        };
        DistillationList: {
            distillations: components["schemas"]["DistillationRecord"][];
            count: number;
            total: number;
        };
        AgreementRecord: {
            agreement: number;
            low: number;
            high: number;
        };
        SavingsOfDay: {
            calls: number;
            answered: number;
            share: number | null;
            audited: number;
            agreement: components["schemas"]["AgreementRecord"] | null;
            cost: number;
            cost_picodollars: string;
            cost_before: number | null;
            latency_ms: number | null;
            latency_ms_before: number | null;
            /** Format: date */
            day: string;
        };
        SavingsRecord: {
            calls: number;
            answered: number;
            share: number | null;
            audited: number;
            agreement: components["schemas"]["AgreementRecord"] | null;
            cost: number;
            cost_picodollars: string;
            cost_before: number | null;
            latency_ms: number | null;
            latency_ms_before: number | null;
            model: string;
            /** Format: date */
            from: string;
            /** Format: date */
            until: string;
            days: components["schemas"]["SavingsOfDay"][];
        };
        ImproveBody: {
            dataset_name?: string | null;
            version_number?: string | number | null;
        };
        CollectedLeftOut: {
            unsure: number;
            without_content: number;
            other_tasks: number;
            duplicates: number;
        };
        CollectedRecord: {
            rows: number;
            conflict_count: number;
            left_out: components["schemas"]["CollectedLeftOut"];
        };
        ImprovementEvaluations: {
            /** @enum {string} */
            rows: "held_out" | "regression_dataset";
            candidate_id: string;
            champion_id: string;
        };
        GateDifference: {
            value: number;
            low: number;
            high: number;
        };
        GateRuleRecord: {
            /** @enum {string} */
            rule: "regression_rows" | "correction_rows" | "f1" | "corrections_f1" | "label_f1" | "size" | "latency";
            passed: boolean;
            limit: number;
            label: string | null;
            rows: number | null;
            candidate: number;
            champion: number | null;
            difference: components["schemas"]["GateDifference"] | null;
        };
        GateRecord: {
            passed: boolean;
            rules: components["schemas"]["GateRuleRecord"][];
            /** Format: date-time */
            decided_at: string;
        };
        GateForced: {
            actor: string;
            reason: string;
            /** Format: date-time */
            at: string;
        };
        CascadeRecord: {
            to: string;
            target_agreement: number;
            audit_share: number;
            /** @enum {string} */
            teacher_down: "student" | "fail";
        };
        PolicyRecord: {
            max_f1_drop: number;
            /** @enum {string} */
            evidence: "worse" | "not_worse";
            max_label_drop: number | null;
            min_label_rows: number;
            min_rows: number;
            min_corrections: number;
            max_size_bytes: number | null;
            max_latency_ms: number | null;
            /** @enum {string} */
            on_pass: "candidate" | "promote";
            regression_dataset: string | null;
            regression_version: number | null;
            /** @enum {string} */
            refused_corrections: "again" | "left_out";
            improve_after_corrections: number | null;
            /** @enum {string|null} */
            weekly_on: "sunday" | "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | null;
            weekly_hour: number | null;
            max_runs: number | null;
            max_runs_days: number | null;
            rollback_window_hours: number | null;
            rollback_min_calls: number | null;
            rollback_max_error_rate: number | null;
            rollback_max_disagreement: number | null;
            drift_psi: number | null;
            cascade: components["schemas"]["CascadeRecord"] | null;
        };
        ImprovementStageRecord: {
            /** @enum {string} */
            stage: "collecting" | "training" | "evaluating" | "gating" | "done" | "failed" | "cancelled";
            /** Format: date-time */
            at: string;
        };
        ImprovementRecord: {
            /** Format: uuid */
            id: string;
            model: string;
            /** @enum {string} */
            status: "collecting" | "training" | "evaluating" | "gating" | "done" | "failed" | "cancelled";
            /** @enum {string|null} */
            outcome: "candidate" | "promoted" | "rejected" | "failed" | "cancelled" | null;
            version: number | null;
            reason: string | null;
            /** @enum {string} */
            trigger: "request" | "corrections" | "weekly";
            champion_version: number;
            champion_model_id: string;
            dataset_name: string | null;
            dataset_version: number | null;
            collected: components["schemas"]["CollectedRecord"] | null;
            training_job_id: string | null;
            evaluations: components["schemas"]["ImprovementEvaluations"][];
            gate: components["schemas"]["GateRecord"] | null;
            forced: components["schemas"]["GateForced"] | null;
            policy: components["schemas"]["PolicyRecord"];
            stages: components["schemas"]["ImprovementStageRecord"][];
            stream: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            completed_at: string | null;
        };
        ImprovementList: {
            improvements: components["schemas"]["ImprovementRecord"][];
            count: number;
            total: number;
        };
        CascadeBody: {
            to: string;
            target_agreement: number;
            audit_share?: number | null;
            /** @enum {string|null} */
            teacher_down?: "student" | "fail" | null;
        };
        PolicyBody: {
            max_f1_drop?: number | null;
            /** @enum {string|null} */
            evidence?: "worse" | "not_worse" | null;
            max_label_drop?: number | null;
            /** @default 10 */
            min_label_rows?: number | null;
            /** @default 10 */
            min_rows?: number | null;
            /** @default 0 */
            min_corrections?: number | null;
            max_size_bytes?: number | null;
            max_latency_ms?: number | null;
            /** @enum {string|null} */
            on_pass?: "candidate" | "promote" | null;
            regression_dataset?: string | null;
            regression_version?: string | number | null;
            /** @enum {string|null} */
            refused_corrections?: "again" | "left_out" | null;
            improve_after_corrections?: number | null;
            /** @enum {string|null} */
            weekly_on?: "sunday" | "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | null;
            weekly_hour?: number | null;
            max_runs?: number | null;
            max_runs_days?: number | null;
            rollback_max_error_rate?: number | null;
            rollback_max_disagreement?: number | null;
            rollback_window_hours?: number | null;
            rollback_min_calls?: number | null;
            drift_psi?: number | null;
            cascade?: components["schemas"]["CascadeBody"] | null;
        };
        ForceBody: {
            reason: string;
        };
        IncidentNote: {
            note: string;
            /** Format: date-time */
            at: string;
        };
        IncidentRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "open" | "closed";
            title: string;
            /** @enum {string} */
            severity: "low" | "medium" | "high" | "serious";
            description: string;
            model: string | null;
            version: number | null;
            calls: string[];
            notes: components["schemas"]["IncidentNote"][];
            resolution: string | null;
            /** Format: date-time */
            opened_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            closed_at: string | null;
        };
        IncidentList: {
            incidents: components["schemas"]["IncidentRecord"][];
        };
        OpenIncidentBody: {
            title: string;
            /** @enum {string} */
            severity: "low" | "medium" | "high" | "serious";
            description: string;
            model?: string | null;
            version?: number | null;
            calls?: string[] | null;
        };
        UpdateIncidentBody: {
            title?: string | null;
            /** @enum {string|null} */
            severity?: "low" | "medium" | "high" | "serious" | null;
            model?: string | null;
            version?: number | null;
            calls?: string[] | null;
            note?: string | null;
        };
        CloseIncidentBody: {
            resolution: string;
        };
        CascadeOfCall: {
            /** Format: uuid */
            distillation_id: string;
            /** @enum {string} */
            by: "student" | "teacher";
            /** @enum {string} */
            reason: "sure" | "teacher_failed" | "unsure" | "unlike" | "other_prompt" | "student_failed" | "watching" | "returned" | "audit";
            certainty?: number;
            /** @enum {string} */
            unlike?: "script" | "length" | "nearness" | "several";
            agrees?: boolean;
        };
        AnsweringProvider: {
            name: string;
            model: string;
            response_id?: string;
            response_model?: string;
            system_fingerprint?: string;
        };
        ImportedFrom: {
            by: string;
            /** Format: date-time */
            at: string;
            id: string | null;
            user: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            origin: {
                [key: string]: unknown;
            };
        };
        InferenceRecord: {
            /** Format: uuid */
            id: string;
            user_id: string;
            model_id: string;
            model_name: string;
            model_version?: number;
            content_withheld?: boolean;
            /** Format: date-time */
            erased_at?: string;
            shadow_of?: string;
            cascade?: components["schemas"]["CascadeOfCall"];
            base_model: string;
            /** @enum {string} */
            task: "extract_entities" | "classify_text" | "extract_json" | "extract_relations" | "schema" | "generate" | "embed";
            input: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            output: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            latency_ms: number | null;
            ttft_ms: number | null;
            tokens: number;
            input_tokens: number;
            output_tokens: number;
            cache_read_tokens: number;
            cache_write_tokens: number;
            cost: number;
            /** @enum {string} */
            source: "api" | "ui" | "imported";
            /** @enum {string} */
            format: "native" | "openai" | "anthropic";
            /** @enum {string} */
            status: "success" | "failed";
            error_type: string | null;
            error_message: string | null;
            /** Format: date-time */
            created_at: string;
            project_id: string | null;
            training_job_id: string | null;
            dropped_fields?: string[];
            provider?: components["schemas"]["AnsweringProvider"];
            imported?: components["schemas"]["ImportedFrom"];
            /** @enum {string} */
            human_verdict?: "correct" | "incorrect" | "unsure";
            human_corrected_output?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            human_feedback_notes?: string | null;
            /** Format: date-time */
            human_feedback_at?: string;
            truncated_fields?: string[];
        };
        InferencePage: {
            inferences: components["schemas"]["InferenceRecord"][];
            total: number;
            limit: number;
            offset: number;
            next_cursor: string | null;
        };
        VerdictCounts: {
            correct: number;
            incorrect: number;
            unsure: number;
            none: number;
        };
        LatencyPercentiles: {
            p50: number | null;
            p95: number | null;
            p99: number | null;
        };
        ConfusedLabels: {
            answered: string | null;
            corrected: string | null;
            count: number;
        };
        InferenceGroup: {
            model?: string | null;
            version?: string | null;
            label?: string | null;
            project?: string | null;
            day?: string;
            hour?: string;
            /** @enum {string} */
            verdict?: "correct" | "incorrect" | "unsure" | "none";
            count: number;
            failed: number;
            verdicts: components["schemas"]["VerdictCounts"];
            accuracy: number | null;
            latency_ms: components["schemas"]["LatencyPercentiles"];
            cost: number;
            confusion: components["schemas"]["ConfusedLabels"][];
        };
        InferenceStats: {
            group_by: string[];
            groups: components["schemas"]["InferenceGroup"][];
        };
        ImportedLine: {
            id?: string | null;
            model_id?: string | null;
            model_name?: string | null;
            model_version?: number | null;
            base_model?: string | null;
            input?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            output?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            /** Format: date-time */
            created_at: string;
            /** @enum {string|null} */
            task?: "extract_entities" | "classify_text" | "extract_json" | "extract_relations" | "schema" | "generate" | "embed" | null;
            /** @enum {string|null} */
            format?: "native" | "openai" | "anthropic" | null;
            /** @enum {string|null} */
            status?: "success" | "failed" | null;
            /** @enum {string|null} */
            error_type?: "timeout" | "model_not_ready" | "capacity_exhausted" | "cancelled" | "internal" | null;
            error_message?: string | null;
            latency_ms?: number | null;
            ttft_ms?: number | null;
            /** @default 0 */
            input_tokens?: number | null;
            /** @default 0 */
            output_tokens?: number | null;
            /** @default 0 */
            cache_read_tokens?: number | null;
            /** @default 0 */
            cache_write_tokens?: number | null;
            user?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string|null} */
            human_verdict?: "correct" | "incorrect" | "unsure" | null;
            human_corrected_output?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            human_feedback_notes?: string | null;
            /** Format: date-time */
            human_feedback_at?: string | null;
            reviewer?: string | null;
            user_id?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            tokens?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            cost?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            source?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            project_id?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            training_job_id?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            shadow_of?: string | null;
            dropped_fields?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            imported?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            key_id?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            erased_at?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            human_feedback_by?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            verdicts?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            provider?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            truncated_fields?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
        };
        RefusedLine: {
            line: number;
            id: string | null;
            field: string | null;
            reason: string;
        };
        ImportReport: {
            lines: number;
            imported: number;
            unchanged: number;
            refused: number;
            errors: components["schemas"]["RefusedLine"][];
        };
        ReviewersAgreement: {
            reviewers: string[];
            calls: number;
            agreed: number;
            kappa: number | null;
            entity_calls: number;
            entity_f1: number | null;
        };
        Agreement: {
            calls: number;
            calls_left_out: number;
            pairs: components["schemas"]["ReviewersAgreement"][];
            disagreements: string[];
        };
        ReviewersVerdict: {
            reviewer: string;
            user_id: string;
            /** @enum {string} */
            verdict: "correct" | "incorrect" | "unsure";
            corrected_output: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            notes: string | null;
            /** Format: date-time */
            at: string;
            new_labels?: string[];
        };
        FeedbackRecord: {
            /** Format: uuid */
            inference_id: string;
            /** @enum {string} */
            human_verdict: "correct" | "incorrect" | "unsure";
            /** Format: date-time */
            human_feedback_at: string;
            human_corrected_output: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            human_feedback_notes: string | null;
            verdicts: components["schemas"]["ReviewersVerdict"][];
        };
        FeedbackBody: {
            /** @enum {string|null} */
            verdict?: "correct" | "incorrect" | "unsure" | null;
            corrected_output?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            correction?: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            notes?: string | null;
            reviewer?: string | null;
            new_labels?: string[] | null;
        };
        FeedbackAccepted: {
            /** Format: uuid */
            inference_id: string;
            /** @enum {string|null} */
            human_verdict: "correct" | "incorrect" | "unsure" | null;
            /** Format: date-time */
            human_feedback_at: string | null;
            new_labels?: string[];
        };
        ErasureCertificate: {
            /** @enum {string} */
            object: "erasure_certificate";
            inference_id: string;
            /** Format: date-time */
            erased_at: string;
            erased_by: string;
            keys: components["schemas"]["DestroyedKey"][];
            event: components["schemas"]["EventCitation"];
            learned: components["schemas"]["LearnedFrom"];
            erased_with: components["schemas"]["LearnedVersion"][];
            remains: string[];
        };
        NotErased: {
            inference_id: string;
            reason: string;
        };
        ErasedCalls: {
            /** @enum {string} */
            object: "list";
            subject: string;
            data: components["schemas"]["ErasureCertificate"][];
            not_erased: components["schemas"]["NotErased"][];
            complete: boolean;
        };
        Caused: {
            actor: string;
            name: string | null;
            event: components["schemas"]["EventCitation"] | null;
            user_id: string | null;
            user: string | null;
        };
        ProjectOfCall: {
            id: string;
            name: string | null;
            event: components["schemas"]["EventCitation"] | null;
        };
        Actor: {
            actor: string;
            name: string | null;
            event: components["schemas"]["EventCitation"] | null;
        };
        NameInForce: {
            name: string;
            version: number;
            put_in_force_by: components["schemas"]["Actor"] | null;
            reason: string | null;
            event: components["schemas"]["EventCitation"] | null;
        };
        Engine: {
            name: string;
            version: string;
            event: components["schemas"]["EventCitation"];
        };
        Provider: {
            name: string;
            model: string;
            response_id?: string;
            response_model?: string;
            system_fingerprint?: string;
            event: components["schemas"]["EventCitation"];
        };
        ModelInForce: {
            asked: string;
            named: components["schemas"]["NameInForce"] | null;
            /** @enum {string} */
            kind: "base" | "trained" | "imported";
            base_model: string;
            training_job_id: string | null;
            engine: components["schemas"]["Engine"] | null;
            weights_sha256: string | null;
            provider: components["schemas"]["Provider"] | null;
        };
        BaseOfJob: {
            id: string;
            sha256: string;
        };
        PinnedVersion: {
            version_id: string;
            name: string;
            version: number;
            rows: number;
            sha256: string;
        };
        WeightsFile: {
            name: string;
            sha256: string;
            size: number;
        };
        StartedFrom: {
            job_id: string;
            checkpoint_id: string | null;
            files: components["schemas"]["WeightsFile"][];
        };
        Weights: {
            files: components["schemas"]["WeightsFile"][];
            event: components["schemas"]["EventCitation"];
        };
        Training: {
            job_id: string;
            model_name: string;
            started_by: components["schemas"]["Actor"];
            base_model: components["schemas"]["BaseOfJob"];
            engine: components["schemas"]["Engine"];
            configuration: {
                [key: string]: unknown;
            };
            datasets: components["schemas"]["PinnedVersion"][];
            started_from: components["schemas"]["StartedFrom"] | null;
            weights: components["schemas"]["Weights"] | null;
            deleted: components["schemas"]["EventCitation"] | null;
            event: components["schemas"]["EventCitation"];
        };
        DescribedVersion: {
            purpose: string | null;
            source: string | null;
            license: string | null;
            consent: string | null;
            by: components["schemas"]["Actor"];
            event: components["schemas"]["EventCitation"];
        };
        MergedFrom: {
            version_id: string;
            name: string;
            version: number;
        };
        Origin: {
            /** @enum {string} */
            kind: "upload" | "batch" | "synthetic" | "labelled" | "merge" | "hub" | "feedback" | "distilled";
            merged_from: components["schemas"]["MergedFrom"][];
            hub: {
                [key: string]: unknown;
            } | null;
            call_ids: string[] | null;
            more_calls: boolean;
            event: components["schemas"]["EventCitation"];
        };
        VersionErasure: {
            /** Format: date-time */
            erased_at: string;
            erased_by: components["schemas"]["Actor"];
            keys: components["schemas"]["DestroyedKey"][];
            certificate: string;
            event: components["schemas"]["EventCitation"];
        };
        DatasetVersionLineage: {
            version_id: string;
            name: string;
            version: number;
            sha256: string | null;
            rows: number | null;
            file_name: string | null;
            made_by: components["schemas"]["Actor"];
            described: components["schemas"]["DescribedVersion"] | null;
            origin: components["schemas"]["Origin"];
            event: components["schemas"]["EventCitation"] | null;
            deleted: components["schemas"]["EventCitation"] | null;
            erased: components["schemas"]["VersionErasure"] | null;
        };
        PriceInForce: {
            input: string;
            output: string;
            cache_read: string;
            cache_write: string;
            cost_picodollars: string;
            /** @enum {string} */
            source: "configured";
            event: components["schemas"]["EventCitation"];
        };
        Correction: {
            /** @enum {string|null} */
            verdict: "correct" | "incorrect" | "unsure" | null;
            reviewer: string;
            by: components["schemas"]["Actor"];
            event: components["schemas"]["EventCitation"];
        };
        LineageNode: {
            id: string;
            /** @enum {string} */
            kind: "call" | "answers" | "correction" | "actor" | "model_version" | "job" | "base_model" | "dataset_version" | "row";
            label: string;
            event: components["schemas"]["EventCitation"] | null;
            link: string | null;
        };
        LineageEdge: {
            from: string;
            to: string;
            /** @enum {string} */
            relation: "called" | "started" | "made" | "put_in_force" | "gave" | "learned" | "continued" | "based" | "named" | "answered" | "judged" | "merged" | "corrected" | "has";
            event: components["schemas"]["EventCitation"] | null;
        };
        LineageGraph: {
            root: string;
            nodes: components["schemas"]["LineageNode"][];
            edges: components["schemas"]["LineageEdge"][];
            truncated: boolean;
        };
        CallLineage: {
            id: string;
            record: string;
            /** Format: date-time */
            at: string;
            status: string;
            by: components["schemas"]["Caused"];
            project: components["schemas"]["ProjectOfCall"] | null;
            model: components["schemas"]["ModelInForce"];
            training: components["schemas"]["Training"][];
            datasets: components["schemas"]["DatasetVersionLineage"][];
            truncated: boolean;
            price: components["schemas"]["PriceInForce"] | null;
            corrections: components["schemas"]["Correction"][];
            erased: components["schemas"]["EventCitation"] | null;
            event: components["schemas"]["EventCitation"];
            graph: components["schemas"]["LineageGraph"];
            checkpoint?: string;
            public_keys?: string[];
        };
        DerivedVersion: {
            version_id: string;
            name: string;
            version: number;
            from: string[];
            event: components["schemas"]["EventCitation"];
        };
        AddedVersion: {
            name: string;
            version: number;
            event: components["schemas"]["EventCitation"];
        };
        Learner: {
            job_id: string;
            model_name: string;
            /** @enum {string} */
            through: "direct" | "merge" | "fine-tune";
            from_versions: string[];
            from_job: string | null;
            event: components["schemas"]["EventCitation"];
            weights: components["schemas"]["Weights"] | null;
            model_versions: components["schemas"]["AddedVersion"][];
            answers: number;
            calls: string;
        };
        DatasetLineage: {
            dataset: components["schemas"]["DatasetVersionLineage"];
            merged_into: components["schemas"]["DerivedVersion"][];
            jobs: components["schemas"]["Learner"][];
            total: number;
            limit: number;
            offset: number;
            graph: components["schemas"]["LineageGraph"];
        };
        VersionOfRow: {
            version_id: string;
            name: string;
            version: number;
            sha256: string | null;
            rows: number | null;
            file_name: string | null;
            made_by: components["schemas"]["Actor"];
            described: components["schemas"]["DescribedVersion"] | null;
            origin: components["schemas"]["Origin"];
            event: components["schemas"]["EventCitation"] | null;
            deleted: components["schemas"]["EventCitation"] | null;
            erased: components["schemas"]["VersionErasure"] | null;
            row: number | null;
        };
        CallOfRow: {
            id: string;
            record: string;
            event: components["schemas"]["EventCitation"] | null;
            corrections: components["schemas"]["Correction"][];
        };
        DerivedRows: {
            version_id: string;
            name: string;
            version: number;
            from: string[];
            event: components["schemas"]["EventCitation"];
            rows: number[] | null;
        };
        RowLineage: {
            dataset: components["schemas"]["DatasetVersionLineage"];
            row: number;
            content?: {
                [key: string]: unknown;
            } | null;
            came_from: components["schemas"]["VersionOfRow"][];
            call: components["schemas"]["CallOfRow"] | null;
            merged_into: components["schemas"]["DerivedRows"][];
            jobs: components["schemas"]["Learner"][];
            total: number;
            limit: number;
            offset: number;
            graph: components["schemas"]["LineageGraph"];
        };
        CreateNamedModelBody: {
            name: string;
            description?: string | null;
        };
        ThresholdFigures: {
            threshold: number;
            answers: number;
            precision: number | null;
            recall: number | null;
        };
        ModelConfidence: {
            rows: number;
            threshold: number | null;
            calibration_error: number | null;
            candidate_calibration_error: number | null;
            thresholds: components["schemas"]["ThresholdFigures"][];
            threshold_for_precision?: number | null;
        };
        ModelTrafficRecord: {
            version: number;
            percent: number;
        };
        ShadowAgreement: {
            compared: number;
            equal: number;
            share: number | null;
        };
        ModelVersionRecord: {
            version: number;
            model_id: string;
            training_job_id: string | null;
            base_model: string;
            labels: string[];
            added_by: string;
            /** Format: date-time */
            added_at: string;
        };
        ModelPromotionRecord: {
            version: number;
            previous: number | null;
            rollback: boolean;
            reason: string;
            actor: string;
            /** Format: date-time */
            at: string;
        };
        NamedModelRecord: {
            name: string;
            description: string | null;
            version: number | null;
            model_id: string | null;
            labels: {
                [key: string]: number;
            };
            traffic: components["schemas"]["ModelTrafficRecord"] | null;
            shadow_version: number | null;
            shadow_agreement?: components["schemas"]["ShadowAgreement"];
            policy: components["schemas"]["PolicyRecord"] | null;
            versions?: components["schemas"]["ModelVersionRecord"][];
            promotions?: components["schemas"]["ModelPromotionRecord"][];
            confidence?: {
                [key: string]: components["schemas"]["ModelConfidence"];
            };
            stream: string;
            created_by: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NamedModelList: {
            models: components["schemas"]["NamedModelRecord"][];
            count: number;
            total: number;
        };
        DriftTraining: {
            rows: number;
            unseen_words: number;
        };
        DriftLabel: {
            label: string;
            share: number;
            training_share: number;
        };
        DriftIndex: {
            psi: number;
            /** @enum {string} */
            band: "stable" | "moderate" | "major";
        };
        DriftIndicesRecord: {
            labels: components["schemas"]["DriftIndex"] | null;
            confidence: components["schemas"]["DriftIndex"] | null;
            length: components["schemas"]["DriftIndex"] | null;
            unseen_words: components["schemas"]["DriftIndex"] | null;
        };
        DriftAgainst: {
            training: components["schemas"]["DriftIndicesRecord"] | null;
            previous_week: components["schemas"]["DriftIndicesRecord"] | null;
        };
        DriftWeekRecord: {
            week: string;
            /** Format: date */
            begins: string;
            calls: number;
            texts: number;
            labels: components["schemas"]["DriftLabel"][];
            no_label_share: number;
            other_labels_share: number;
            unseen_words: number | null;
            against: components["schemas"]["DriftAgainst"];
        };
        ModelDrift: {
            model: string;
            version: number;
            training_job_id: string | null;
            training: components["schemas"]["DriftTraining"] | null;
            training_unavailable: string | null;
            weeks: components["schemas"]["DriftWeekRecord"][];
        };
        AddModelVersionBody: {
            training_job_id?: string | null;
            model_id?: string | null;
        };
        PromoteBody: {
            reason: string;
        };
        RollbackBody: {
            version?: number | null;
            reason: string;
        };
        SetLabelBody: {
            version: number;
            reason?: string | null;
        };
        SetTrafficBody: {
            version: number | null;
            /** @default 0 */
            percent?: number | null;
            reason?: string | null;
        };
        SetShadowBody: {
            version: number | null;
            reason?: string | null;
        };
        RunnerEngine: {
            name: string;
            version: string;
            base_models: string[];
        };
        RunnerRoom: {
            training: number;
            evaluation: number;
            export: number;
        };
        RunnerAttempt: {
            /** @enum {string} */
            kind: "training" | "evaluation" | "export";
            id: string;
            attempt: number;
            progress_percent: number;
        };
        RunnerServing: {
            in_process: number;
            cached_bytes: number;
            calls: number;
            waiting_characters: number;
            waiting_generations: number;
            input_tokens: number;
            output_tokens: number;
        };
        RunnerRecord: {
            name: string;
            present: boolean;
            last_heard_ms: number;
            engines: components["schemas"]["RunnerEngine"][];
            room: components["schemas"]["RunnerRoom"];
            attempts: components["schemas"]["RunnerAttempt"][];
            loaded: string[];
            loading: string[];
            failed: string[];
            generates: string[];
            serving: components["schemas"]["RunnerServing"] | null;
        };
        RunnerList: {
            runners: components["schemas"]["RunnerRecord"][];
        };
        QueuedWork: {
            /** @enum {string} */
            kind: "training" | "evaluation" | "export";
            waiting: number;
            running: number;
        };
        OperatorQueue: {
            queue: components["schemas"]["QueuedWork"][];
        };
        SettingInForce: {
            name: string;
            value: string | null;
            is_set: boolean;
            default: string;
            meaning: string;
        };
        SettingsInForce: {
            settings: components["schemas"]["SettingInForce"][];
        };
        SettingsChange: {
            name: string;
            before: string | null;
            after: string | null;
            /** @enum {string} */
            of: "standalone" | "api" | "worker" | "catalog";
            /** Format: date-time */
            found_at: string;
            by: string | null;
            sentence: string;
        };
        SettingsChanges: {
            changes: components["schemas"]["SettingsChange"][];
        };
        ProjectRecord: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ProjectList: {
            success: boolean;
            count: number;
            total: number;
            projects: components["schemas"]["ProjectRecord"][];
        };
        CreateProjectBody: {
            name: string;
            description?: string | null;
        };
        ProposalRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "open" | "confirmed" | "declined" | "expired" | "performed";
            /** @enum {string} */
            act: "promote" | "force" | "erase" | "delete" | "two_people";
            about: string;
            proposed_by: string;
            /** Format: uuid */
            proposer_id: string;
            /** Format: date-time */
            proposed_at: string;
            /** Format: date-time */
            expires_at: string;
            reason: string | null;
            ticket: string | null;
            decided_by: string | null;
            /** Format: date-time */
            decided_at: string | null;
            invited_by_proposer: boolean | null;
            same_address: boolean | null;
            declined_because: string | null;
        };
        ProposalList: {
            proposals: components["schemas"]["ProposalRecord"][];
            count: number;
            total: number;
        };
        DeclineBody: {
            reason?: string | null;
        };
        RetentionRule: {
            /** @enum {string} */
            kind: "calls" | "feedback" | "job_logs" | "dataset_versions" | "evaluations" | "training_jobs";
            days: number | null;
            days_in_force: number | null;
        };
        RetentionRecord: {
            floor_days: number;
            ceiling_days: number | null;
            rules: components["schemas"]["RetentionRule"][];
        };
        RetentionBody: {
            calls?: number | null;
            feedback?: number | null;
            job_logs?: number | null;
            dataset_versions?: number | null;
            evaluations?: number | null;
            training_jobs?: number | null;
        };
        HoldRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "workspace" | "calls" | "call" | "model" | "feedback" | "job_logs" | "job" | "datasets" | "dataset" | "evaluations" | "evaluation";
            covers_id: string | null;
            version: number | null;
            reason: string;
            /** Format: date-time */
            placed_at: string;
        };
        HoldList: {
            holds: components["schemas"]["HoldRecord"][];
        };
        HoldBody: {
            /** @enum {string} */
            kind: "workspace" | "calls" | "call" | "model" | "feedback" | "job_logs" | "job" | "datasets" | "dataset" | "evaluations" | "evaluation";
            id?: string | null;
            version?: number | null;
            reason: string;
        };
        HoldReleased: {
            success: boolean;
            message: string;
        };
        ShadowAnswer: {
            /** Format: uuid */
            inference_id: string;
            model_version: number;
            output: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
        };
        ReviewReason: {
            /** @enum {string} */
            strategy: "uncertain" | "disagreement" | "novel" | "random" | "errors";
            value: number | null;
            text: string;
            shadow?: components["schemas"]["ShadowAnswer"];
        };
        ReviewItem: {
            /** Format: uuid */
            inference_id: string;
            /** @enum {string} */
            state: "open" | "assigned" | "reserved" | "skipped" | "done";
            assigned_to: string | null;
            reserved_by: string | null;
            /** Format: date-time */
            reserved_until: string | null;
            reason: components["schemas"]["ReviewReason"];
            confidence: number | null;
            label: string | null;
            inference: components["schemas"]["InferenceRecord"];
        };
        ReviewPage: {
            items: components["schemas"]["ReviewItem"][];
        };
        ReviewerBody: {
            reviewer?: string | null;
        };
        ReviewState: {
            /** Format: uuid */
            inference_id: string;
            /** @enum {string} */
            state: "open" | "assigned" | "reserved" | "skipped" | "done";
            assigned_to: string | null;
            reserved_by: string | null;
            /** Format: date-time */
            reserved_until: string | null;
        };
        SkipBody: {
            reviewer?: string | null;
            reason?: string | null;
        };
        AssignBody: {
            reviewer: string;
        };
        JobDatasetReference: {
            name: string;
            version?: string | number | null;
            /** @default false */
            held_out?: boolean | null;
        };
        CreateTrainingJobBody: {
            model_name?: string | null;
            datasets: components["schemas"]["JobDatasetReference"][];
            base_model: string;
            /** @enum {string|null} */
            training_type?: "lora" | "full" | null;
            nr_epochs?: number | null;
            learning_rate?: number | null;
            batch_size?: number | null;
            validation_data_percentage?: number | null;
            hold_out_like?: string | null;
            exclude_texts_of?: components["schemas"]["DatasetReference"][] | null;
            early_stopping_patience?: number | null;
            lora_r?: number | null;
            lora_alpha?: number | null;
            lora_dropout?: number | null;
            /** @enum {string|null} */
            lr_scheduler_type?: "constant" | "linear" | "cosine" | null;
            warmup_ratio?: number | null;
            weight_decay?: number | null;
            save_steps?: number | null;
            /** @default 3407 */
            seed?: number | null;
            /** @default false */
            packing?: boolean | null;
            /** @default false */
            gradient_checkpointing?: boolean | null;
            /** @default false */
            load_in_4bit?: boolean | null;
            dpo_beta?: number | null;
            label_descriptions?: {
                [key: string]: string;
            } | null;
            project_id?: string | null;
        };
        UsedDataset: {
            name: string;
            version: string;
            /** Format: uuid */
            dataset_id: string;
            sample_size: number;
            held_out?: boolean;
        };
        JobDataset: {
            name: string;
            version: string;
            /** Format: uuid */
            dataset_id: string;
            sample_size: number;
        };
        LabelFigures: {
            f1: number;
            precision: number;
            recall: number;
            support: number;
        };
        ConfidenceFigures: {
            rows: number;
            threshold: number | null;
            calibration_error: number | null;
            candidate_calibration_error: number | null;
            thresholds: components["schemas"]["ThresholdFigures"][];
        };
        HeadFigures: {
            f1: number | null;
            precision: number | null;
            recall: number | null;
            accuracy?: number | null;
            confidence?: components["schemas"]["ConfidenceFigures"];
        };
        TrainingMetrics: {
            f1: number | null;
            precision: number | null;
            recall: number | null;
            eval_f1_score: number | null;
            eval_precision: number | null;
            eval_recall: number | null;
            macro_f1: number | null;
            accuracy: number | null;
            /** @enum {string|null} */
            judged_on: "validation" | null;
            judged_rows: number | null;
            overlapping_rows: number | null;
            excluded_rows: number | null;
            rows_with_vectors: number | null;
            figures_note: string | null;
            heads: {
                [key: string]: components["schemas"]["HeadFigures"];
            };
            per_entity: {
                [key: string]: components["schemas"]["LabelFigures"];
            };
            final_training_loss: number;
            final_validation_loss: number | null;
            best_validation_loss: number | null;
            reward_accuracy?: number;
            reward_margin?: number;
        };
        FinishedEpoch: {
            epoch: number;
            step: number;
            training_loss: number;
            validation_loss: number | null;
            f1: number | null;
            learning_rate: number;
        };
        TrainingJobRecord: {
            /** Format: uuid */
            id: string;
            model_name: string;
            named_model: string | null;
            base_model: string;
            /** @enum {string} */
            training_type: "lora" | "full";
            datasets: components["schemas"]["UsedDataset"][];
            exclude_texts_of: components["schemas"]["JobDataset"][];
            /** @enum {string} */
            status: "requested" | "running" | "complete" | "deployed" | "failed" | "cancelled";
            /** @enum {string} */
            normalized_status: "requested" | "running" | "complete" | "failed" | "cancelled";
            is_terminal_status: boolean;
            progress_percent: number;
            current_epoch: number;
            nr_epochs: number;
            learning_rate: number;
            batch_size: number;
            validation_data_percentage: number;
            early_stopping_patience: number;
            lora_r: number;
            lora_alpha: number;
            lora_dropout: number;
            /** @enum {string} */
            lr_scheduler_type: "constant" | "linear" | "cosine";
            warmup_ratio: number;
            weight_decay: number;
            save_steps: number;
            seed: number;
            label_descriptions?: {
                [key: string]: string;
            };
            packing?: boolean;
            gradient_checkpointing?: boolean;
            load_in_4bit?: boolean;
            dpo_beta?: number | null;
            /** @enum {string} */
            task_type: "ner" | "classification" | "structures" | "relations" | "multi_head" | "decoder";
            labels: string[];
            class_tasks?: components["schemas"]["ClassTaskRecord"][];
            project_id: string | null;
            root_job_id: string | null;
            start_checkpoint_id: string | null;
            /** @enum {string} */
            deployment_status: "not_deployed" | "warming_up" | "ready" | "deployed" | "failed";
            error_message: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            waiting_reason?: string;
            metrics?: components["schemas"]["TrainingMetrics"];
            learning_curve?: components["schemas"]["FinishedEpoch"][];
        };
        TrainingEstimate: {
            base_model: string;
            rows: number;
            epochs: number | null;
            seconds: number | null;
            seconds_low: number | null;
            seconds_high: number | null;
            jobs: number;
            word_vector_bytes: number | null;
        };
        TrainingJobList: {
            success: boolean;
            training_jobs: components["schemas"]["TrainingJobRecord"][];
            count: number;
            total: number;
            has_more: boolean;
        };
        TrainingLogLine: {
            id: string;
            /** Format: date-time */
            timestamp: string;
            /** @enum {string} */
            level: "info" | "warn" | "error";
            message: string;
            source: string;
        };
        TrainingLogList: {
            /** Format: uuid */
            job_id: string;
            logs: components["schemas"]["TrainingLogLine"][];
            total_logs: number;
            /** Format: date-time */
            erased_at?: string;
        };
        TrainingJobMessage: {
            /** @enum {string} */
            type: "status" | "progress" | "epoch" | "checkpoint" | "end";
            /** @enum {string} */
            status?: "requested" | "running" | "complete" | "deployed" | "failed" | "cancelled" | "deleted";
            error_message?: string | null;
            progress_percent?: number;
            /** Format: uuid */
            checkpoint_id?: string;
            epoch?: number;
            step?: number;
            training_loss?: number;
            validation_loss?: number | null;
            f1?: number | null;
            learning_rate?: number;
        };
        TrainingCheckpoint: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            job_id: string;
            epoch: number;
            step: number;
            training_loss: number;
            validation_loss: number | null;
            f1: number | null;
            learning_rate: number;
            is_best: boolean;
            is_final: boolean;
            /** Format: date-time */
            created_at: string;
        };
        TrainingCheckpointList: {
            success: boolean;
            checkpoints: components["schemas"]["TrainingCheckpoint"][];
            count: number;
        };
        DeployedCheckpoint: {
            success: boolean;
            message: string;
            /** Format: uuid */
            job_id: string;
            /** Format: uuid */
            checkpoint_id: string;
            /** Format: uuid */
            model_id: string;
            deployment_status: string;
        };
        ModelDownload: {
            success: boolean;
            /** Format: uuid */
            job_id: string;
            /** Format: uri */
            download_url: string;
            expires_in_seconds: number;
            file_name: string;
        };
        ModelExport: {
            /** Format: uuid */
            job_id: string;
            /** @enum {string} */
            format: "adapter" | "merged" | "gguf" | "gguf-q8_0" | "onnx";
            /** @enum {string} */
            status: "queued" | "running" | "complete" | "failed";
            waiting_reason?: string;
            progress_percent: number;
            error_message: string | null;
            size_bytes: number | null;
            sha256: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            completed_at: string | null;
        };
        ModelExportList: {
            success: boolean;
            /** Format: uuid */
            job_id: string;
            exports: components["schemas"]["ModelExport"][];
            count: number;
        };
        StoppedJob: {
            success: boolean;
            message: string;
            /** Format: uuid */
            job_id: string;
            status: string;
        };
        TrainedModel: {
            /** Format: uuid */
            id: string;
            model_name: string;
            named_model: string | null;
            base_model: string;
            /** @enum {string} */
            training_type: "lora" | "full";
            datasets: components["schemas"]["UsedDataset"][];
            exclude_texts_of: components["schemas"]["JobDataset"][];
            /** @enum {string} */
            status: "requested" | "running" | "complete" | "deployed" | "failed" | "cancelled";
            /** @enum {string} */
            normalized_status: "requested" | "running" | "complete" | "failed" | "cancelled";
            is_terminal_status: boolean;
            progress_percent: number;
            current_epoch: number;
            nr_epochs: number;
            learning_rate: number;
            batch_size: number;
            validation_data_percentage: number;
            early_stopping_patience: number;
            lora_r: number;
            lora_alpha: number;
            lora_dropout: number;
            /** @enum {string} */
            lr_scheduler_type: "constant" | "linear" | "cosine";
            warmup_ratio: number;
            weight_decay: number;
            save_steps: number;
            seed: number;
            label_descriptions?: {
                [key: string]: string;
            };
            packing?: boolean;
            gradient_checkpointing?: boolean;
            load_in_4bit?: boolean;
            dpo_beta?: number | null;
            /** @enum {string} */
            task_type: "ner" | "classification" | "structures" | "relations" | "multi_head" | "decoder";
            labels: string[];
            class_tasks?: components["schemas"]["ClassTaskRecord"][];
            project_id: string | null;
            root_job_id: string | null;
            start_checkpoint_id: string | null;
            /** @enum {string} */
            deployment_status: "not_deployed" | "warming_up" | "ready" | "deployed" | "failed";
            error_message: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            waiting_reason?: string;
            metrics?: components["schemas"]["TrainingMetrics"];
            learning_curve?: components["schemas"]["FinishedEpoch"][];
            /** Format: uuid */
            model_id: string;
        };
        TrainedModelList: {
            success: boolean;
            count: number;
            total: number;
            models: components["schemas"]["TrainedModel"][];
        };
        CreateWebhookBody: {
            url: string;
            types?: ("dataset.ready" | "dataset.failed" | "training_job.completed" | "training_job.failed" | "training_job.cancelled" | "evaluation.completed" | "evaluation.failed" | "gate.decided" | "model.promoted" | "model.rolled_back" | "drift" | "distillation.ended" | "cascade.returned" | "proposal.made" | "proposal.confirmed" | "proposal.declined" | "proposal.expired" | "credits.low" | "webhook.disabled")[] | null;
            description?: string | null;
        };
        NewWebhook: {
            /** Format: uuid */
            id: string;
            url: string;
            types: ("dataset.ready" | "dataset.failed" | "training_job.completed" | "training_job.failed" | "training_job.cancelled" | "evaluation.completed" | "evaluation.failed" | "gate.decided" | "model.promoted" | "model.rolled_back" | "drift" | "distillation.ended" | "cascade.returned" | "proposal.made" | "proposal.confirmed" | "proposal.declined" | "proposal.expired" | "credits.low" | "webhook.disabled")[];
            description: string | null;
            enabled: boolean;
            /** @enum {string|null} */
            disabled_reason: "failing" | "gone" | "asked" | null;
            /** Format: date-time */
            disabled_at: string | null;
            /** Format: date-time */
            failing_since: string | null;
            /** Format: date-time */
            last_delivered_at: string | null;
            /** Format: date-time */
            previous_secret_until: string | null;
            /** Format: date-time */
            created_at: string;
            secret: string;
        };
        WebhookRecord: {
            /** Format: uuid */
            id: string;
            url: string;
            types: ("dataset.ready" | "dataset.failed" | "training_job.completed" | "training_job.failed" | "training_job.cancelled" | "evaluation.completed" | "evaluation.failed" | "gate.decided" | "model.promoted" | "model.rolled_back" | "drift" | "distillation.ended" | "cascade.returned" | "proposal.made" | "proposal.confirmed" | "proposal.declined" | "proposal.expired" | "credits.low" | "webhook.disabled")[];
            description: string | null;
            enabled: boolean;
            /** @enum {string|null} */
            disabled_reason: "failing" | "gone" | "asked" | null;
            /** Format: date-time */
            disabled_at: string | null;
            /** Format: date-time */
            failing_since: string | null;
            /** Format: date-time */
            last_delivered_at: string | null;
            /** Format: date-time */
            previous_secret_until: string | null;
            /** Format: date-time */
            created_at: string;
        };
        WebhookList: {
            success: boolean;
            count: number;
            total: number;
            webhooks: components["schemas"]["WebhookRecord"][];
        };
        ChangeWebhookBody: {
            url?: string | null;
            types?: ("dataset.ready" | "dataset.failed" | "training_job.completed" | "training_job.failed" | "training_job.cancelled" | "evaluation.completed" | "evaluation.failed" | "gate.decided" | "model.promoted" | "model.rolled_back" | "drift" | "distillation.ended" | "cascade.returned" | "proposal.made" | "proposal.confirmed" | "proposal.declined" | "proposal.expired" | "credits.low" | "webhook.disabled")[] | null;
            description?: string | null;
            enabled?: boolean | null;
        };
        WebhookDeleted: {
            success: boolean;
        };
        RotateWebhookBody: {
            /** @default 24 */
            overlap_hours?: number | null;
        };
        RotatedSecret: {
            /** Format: uuid */
            id: string;
            secret: string;
            /** Format: date-time */
            previous_secret_until: string;
        };
        DeliveryAttempt: {
            attempt: number;
            /** Format: date-time */
            at: string;
            status_code: number | null;
            duration_ms: number;
            /** @enum {string|null} */
            error: "status" | "redirect" | "timeout" | "connection" | "address" | null;
        };
        WebhookDeliveryRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "dataset.ready" | "dataset.failed" | "training_job.completed" | "training_job.failed" | "training_job.cancelled" | "evaluation.completed" | "evaluation.failed" | "gate.decided" | "model.promoted" | "model.rolled_back" | "drift" | "distillation.ended" | "cascade.returned" | "proposal.made" | "proposal.confirmed" | "proposal.declined" | "proposal.expired" | "credits.low" | "webhook.disabled" | "webhook.test";
            /** Format: date-time */
            timestamp: string;
            data: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            status: "pending" | "delivered" | "failed" | "cancelled";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at: string | null;
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        WebhookDeliveryList: {
            success: boolean;
            count: number;
            total: number;
            deliveries: components["schemas"]["WebhookDeliveryRecord"][];
        };
        WorkspaceMember: {
            /** Format: uuid */
            user_id: string;
            email: string | null;
            role: components["schemas"]["Role"];
            is_own: boolean;
        };
        WorkspaceRecord: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            team_id: string;
            analysts_see_content: boolean;
            two_people: ("promote" | "force" | "erase" | "delete")[];
            members: components["schemas"]["WorkspaceMember"][];
        };
        WorkspaceBody: {
            analysts_see_content: boolean;
        };
        TwoPeopleBody: {
            acts: ("promote" | "force" | "erase" | "delete")[];
        };
        MemberBody: {
            email: string;
            /** @enum {string} */
            role: "owner" | "developer" | "analyst" | "auditor" | "runner";
        };
        GivenRole: {
            /** Format: uuid */
            user_id: string;
            email: string | null;
            role: components["schemas"]["Role"];
            is_own: boolean;
            sign_in_link: string | null;
        };
        MemberErasure: {
            /** @enum {string} */
            object: "member_erasure_certificate";
            /** Format: uuid */
            user_id: string;
            /** Format: date-time */
            erased_at: string;
            erased_by: string;
            keys: components["schemas"]["DestroyedKey"][];
            event: components["schemas"]["EventCitation"];
            remains: string[];
        };
        MemberRemoved: {
            success: boolean;
            message: string | null;
            certificate: components["schemas"]["MemberErasure"] | null;
        };
        CompletionUsage: {
            prompt_tokens: number;
            completion_tokens: number;
            total_tokens: number;
            prompt_tokens_details?: {
                cached_tokens: number;
                cache_write_tokens: number;
            };
            completion_tokens_details?: {
                reasoning_tokens?: number;
            };
        };
        InferenceWarning: {
            /** @enum {string} */
            code: "unresolved_label" | "zero_shot_classification" | "unchecked_type" | "nested_spans" | "unused_description" | "explanation_unavailable";
            message: string;
            label?: string;
        };
        PioneerNotes: {
            /** Format: uuid */
            inference_id: string | null;
            warnings?: components["schemas"]["InferenceWarning"][];
            truncated?: boolean;
        };
        ChatCompletionMessage: {
            reasoning_content?: string;
            thinking_blocks?: {
                /** @enum {string} */
                type: "thinking" | "redacted_thinking";
                thinking?: string;
                signature?: string;
                data?: string;
            }[];
            /** @deprecated */
            function_call?: {
                name?: string;
                arguments?: string;
            };
            annotations?: {
                [key: string]: unknown;
            }[];
            audio?: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            role: "assistant";
            content: string | null;
            refusal: string | null;
            tool_calls?: {
                id?: string;
                /** @enum {string} */
                type?: "function" | "custom";
                function?: {
                    name?: string;
                    arguments?: string;
                };
                custom?: {
                    name?: string;
                    input?: string;
                };
            }[];
        };
        ChatLogprobs: {
            content: {
                token: string;
                logprob: number;
                bytes?: number[] | null;
                top_logprobs?: {
                    [key: string]: unknown;
                }[];
            }[] | null;
            refusal: {
                token: string;
                logprob: number;
                bytes?: number[] | null;
                top_logprobs?: {
                    [key: string]: unknown;
                }[];
            }[] | null;
        };
        ChatCompletionChoice: {
            index: number;
            message: components["schemas"]["ChatCompletionMessage"];
            logprobs: components["schemas"]["ChatLogprobs"] | null;
            /** @enum {string} */
            finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
        };
        ChatCompletion: {
            id: string;
            created: number;
            model: string;
            system_fingerprint?: string;
            service_tier?: string;
            x_pioneer: components["schemas"]["PioneerNotes"];
            /** @enum {string} */
            object: "chat.completion";
            choices: components["schemas"]["ChatCompletionChoice"][];
            usage: components["schemas"]["CompletionUsage"];
        };
        ChatCompletionDelta: {
            reasoning_content?: string;
            thinking_blocks?: {
                /** @enum {string} */
                type: "thinking" | "redacted_thinking";
                thinking?: string;
                signature?: string;
                data?: string;
            }[];
            /** @deprecated */
            function_call?: {
                name?: string;
                arguments?: string;
            };
            annotations?: {
                [key: string]: unknown;
            }[];
            audio?: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            role?: "assistant";
            content?: string | null;
            refusal?: string | null;
            tool_calls?: {
                id?: string;
                /** @enum {string} */
                type?: "function" | "custom";
                function?: {
                    name?: string;
                    arguments?: string;
                };
                custom?: {
                    name?: string;
                    input?: string;
                };
                index?: number;
            }[];
        };
        ChatCompletionChunkChoice: {
            index: number;
            delta: components["schemas"]["ChatCompletionDelta"];
            logprobs: components["schemas"]["ChatLogprobs"] | null;
            /** @enum {string|null} */
            finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call" | null;
        };
        ChatCompletionChunk: {
            id: string;
            created: number;
            model: string;
            system_fingerprint?: string;
            service_tier?: string;
            x_pioneer: components["schemas"]["PioneerNotes"];
            /** @enum {string} */
            object: "chat.completion.chunk";
            choices: components["schemas"]["ChatCompletionChunkChoice"][];
            usage?: components["schemas"]["CompletionUsage"] | null;
        };
        EntityDefinition: {
            description?: string | null;
            threshold?: number | null;
            /** @enum {string|null} */
            dtype?: "str" | "list" | null;
            name: string;
        };
        EntityDetails: {
            description?: string | null;
            threshold?: number | null;
            /** @enum {string|null} */
            dtype?: "str" | "list" | null;
            name?: string | null;
        };
        ClassificationDefinition: {
            labels: string[] | {
                [key: string]: unknown;
            };
            /** @default false */
            multi_label?: boolean | null;
            top_k?: number | null;
            threshold?: number | null;
            task: string;
        };
        ClassificationDetails: {
            labels: string[] | {
                [key: string]: unknown;
            };
            /** @default false */
            multi_label?: boolean | null;
            top_k?: number | null;
            threshold?: number | null;
            task?: string | null;
        };
        FieldDefinition: {
            name: string;
            /** @enum {string|null} */
            dtype?: "str" | "list" | null;
            choices?: string[] | null;
            description?: string | null;
            threshold?: number | null;
        };
        RelationDetails: {
            name?: string | null;
            relation?: string | null;
            type?: string | null;
            head?: string | null;
            tail?: string | null;
            description?: string | null;
            threshold?: number | null;
        };
        SchemaDefinition: {
            entities?: ((string | components["schemas"]["EntityDefinition"])[] | null) | {
                [key: string]: (string | null) | components["schemas"]["EntityDetails"];
            };
            classifications?: (components["schemas"]["ClassificationDefinition"][] | null) | {
                [key: string]: string[] | components["schemas"]["ClassificationDetails"];
            };
            structures?: {
                [key: string]: (string | components["schemas"]["FieldDefinition"])[] | {
                    fields: (string | components["schemas"]["FieldDefinition"])[];
                };
            } | null;
            relations?: ((string | components["schemas"]["RelationDetails"])[] | null) | {
                [key: string]: (string | null) | components["schemas"]["RelationDetails"];
            };
            /** @default true */
            flat_ner?: boolean | null;
        };
        ChatCompletionBody: {
            /** @default true */
            store?: boolean | null;
            project_id?: string | null;
            schema?: ((string | components["schemas"]["EntityDefinition"])[] | null) | components["schemas"]["SchemaDefinition"];
            threshold?: number | null;
            /** @default true */
            include_confidence?: boolean | null;
            /** @default true */
            include_spans?: boolean | null;
            temperature?: number | null;
            top_p?: number | null;
            frequency_penalty?: number | null;
            presence_penalty?: number | null;
            stop?: (string | null) | string[];
            seed?: number | null;
            n?: number | null;
            logit_bias?: {
                [key: string]: number;
            } | null;
            max_tokens?: number | null;
            user?: string | null;
            stream?: boolean | null;
            stream_options?: {
                include_usage?: boolean | null;
                include_obfuscation?: boolean | null;
            } | null;
            model: string;
            messages: ({
                /** @enum {string} */
                role: "system" | "developer" | "user";
                cache_control?: {
                    [key: string]: unknown;
                } | null;
                content: string | ({
                    /** @enum {string} */
                    type: "text";
                    text: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "refusal";
                    refusal: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "image_url";
                    image_url: {
                        url: string;
                        detail?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "input_audio";
                    input_audio: {
                        data: string;
                        format: string;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "file";
                    file: {
                        file_data?: string | null;
                        file_id?: string | null;
                        filename?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    type: string;
                })[];
                name?: string | null;
            } | {
                /** @enum {string} */
                role: "assistant";
                cache_control?: {
                    [key: string]: unknown;
                } | null;
                content?: (string | null) | ({
                    /** @enum {string} */
                    type: "text";
                    text: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "refusal";
                    refusal: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "image_url";
                    image_url: {
                        url: string;
                        detail?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "input_audio";
                    input_audio: {
                        data: string;
                        format: string;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "file";
                    file: {
                        file_data?: string | null;
                        file_id?: string | null;
                        filename?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    type: string;
                })[];
                name?: string | null;
                refusal?: string | null;
                tool_calls?: ({
                    id: string;
                    /** @enum {string|null} */
                    type?: "function" | null;
                    function: {
                        name: string;
                        arguments: string;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    type: string;
                })[] | null;
                function_call?: {
                    name: string;
                    arguments: string;
                } | null;
                audio?: {
                    id: string;
                } | null;
                reasoning_content?: string | null;
                reasoning?: string | null;
                thinking_blocks?: ({
                    /** @enum {string|null} */
                    type?: "thinking" | null;
                    thinking: string;
                    signature?: string | null;
                } | {
                    /** @enum {string} */
                    type: "redacted_thinking";
                    data: string;
                })[] | null;
            } | {
                /** @enum {string} */
                role: "tool";
                cache_control?: {
                    [key: string]: unknown;
                } | null;
                content: string | ({
                    /** @enum {string} */
                    type: "text";
                    text: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "refusal";
                    refusal: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "image_url";
                    image_url: {
                        url: string;
                        detail?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "input_audio";
                    input_audio: {
                        data: string;
                        format: string;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "file";
                    file: {
                        file_data?: string | null;
                        file_id?: string | null;
                        filename?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    type: string;
                })[];
                tool_call_id: string;
            } | {
                /** @enum {string} */
                role: "function";
                cache_control?: {
                    [key: string]: unknown;
                } | null;
                content: (string | null) | ({
                    /** @enum {string} */
                    type: "text";
                    text: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "refusal";
                    refusal: string;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "image_url";
                    image_url: {
                        url: string;
                        detail?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "input_audio";
                    input_audio: {
                        data: string;
                        format: string;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    /** @enum {string} */
                    type: "file";
                    file: {
                        file_data?: string | null;
                        file_id?: string | null;
                        filename?: string | null;
                    };
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                } | {
                    type: string;
                })[];
                name: string;
            })[];
            max_completion_tokens?: number | null;
            logprobs?: boolean | null;
            top_logprobs?: number | null;
            tools?: ({
                /** @enum {string} */
                type: "function";
                function: {
                    name: string;
                    description?: string | null;
                    strict?: boolean | null;
                    parameters?: {
                        [key: string]: unknown;
                    } | null;
                    cache_control?: {
                        [key: string]: unknown;
                    } | null;
                };
                cache_control?: {
                    [key: string]: unknown;
                } | null;
            } | {
                type: string;
            })[] | null;
            tool_choice?: ("none" | "auto" | "required" | null) | {
                /** @enum {string} */
                type: "function";
                function: {
                    name: string;
                };
            } | {
                type: string;
            };
            parallel_tool_calls?: boolean | null;
            /** @deprecated */
            functions?: {
                name: string;
                description?: string | null;
                strict?: boolean | null;
                parameters?: {
                    [key: string]: unknown;
                } | null;
                cache_control?: {
                    [key: string]: unknown;
                } | null;
            }[] | null;
            /** @deprecated */
            function_call?: ("none" | "auto" | null) | {
                name: string;
            };
            response_format?: ({
                /** @enum {string} */
                type: "text";
            } | null) | {
                /** @enum {string} */
                type: "json_object";
            } | {
                /** @enum {string} */
                type: "json_schema";
                json_schema: {
                    name: string;
                    description?: string | null;
                    strict?: boolean | null;
                    schema?: {
                        [key: string]: unknown;
                    } | null;
                };
            } | {
                type: string;
            };
            reasoning_effort?: (string | null) | number | boolean;
            thinking?: Record<string, never>;
            safety_identifier?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            audio?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            modalities?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            moderation?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            prediction?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            prompt_cache_key?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            prompt_cache_options?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            prompt_cache_retention?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            service_tier?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            verbosity?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
            web_search_options?: ({
                [key: string]: unknown;
            } | null) | unknown[] | string | number | boolean;
        };
        EncoderInferenceBody: {
            model_id: string;
            /** @default true */
            store?: boolean | null;
            project_id?: string | null;
            /** @default true */
            include_confidence?: boolean | null;
            /** @default true */
            include_spans?: boolean | null;
            /** @default false */
            is_warmup?: boolean | null;
            stream?: boolean | null;
            task?: string | null;
            text?: (string | null) | string[];
            schema?: ((string | components["schemas"]["EntityDefinition"])[] | null) | components["schemas"]["SchemaDefinition"];
            threshold?: number | null;
            /** @default false */
            explain?: boolean | null;
            messages?: string | null;
            max_tokens?: string | null;
            temperature?: string | null;
            top_p?: string | null;
            stop?: string | null;
        };
        TextPart: {
            /** @enum {string} */
            type: "text";
            text: string;
        };
        ChatMessage: {
            /** @enum {string} */
            role: "system" | "user" | "assistant";
            content?: (string | null) | components["schemas"]["TextPart"][];
        };
        DecoderInferenceBody: {
            model_id: string;
            /** @default true */
            store?: boolean | null;
            project_id?: string | null;
            /** @default true */
            include_confidence?: boolean | null;
            /** @default true */
            include_spans?: boolean | null;
            /** @default false */
            is_warmup?: boolean | null;
            stream?: boolean | null;
            /** @enum {string|null} */
            task?: "generate" | null;
            messages: components["schemas"]["ChatMessage"][];
            /** @default 4096 */
            max_tokens?: number | null;
            temperature?: number | null;
            top_p?: number | null;
            stop?: (string | null) | string[];
            text?: string | null;
            schema?: string | null;
            threshold?: string | null;
            explain?: string | null;
        };
        NearestRow: {
            text: string;
            is_excerpt?: boolean;
            labels: string[];
            entities?: unknown[];
            json_structures?: unknown[];
            relations?: unknown[];
            similarity: number;
            dataset_name: string;
            version_number: string;
            row: number;
        };
        Explanation: {
            nearest_rows: components["schemas"]["NearestRow"][];
        };
        EncoderInferenceResponse: {
            /** @enum {string} */
            type: "encoder";
            /** Format: uuid */
            inference_id: string | null;
            result: {
                [key: string]: unknown;
            } | unknown[];
            model_id: string;
            model_used: string;
            latency_ms: number;
            token_usage: number;
            explanation?: components["schemas"]["Explanation"] | components["schemas"]["Explanation"][];
            warnings?: components["schemas"]["InferenceWarning"][];
            truncated?: boolean;
        };
        DecoderInferenceResponse: {
            /** @enum {string} */
            type: "decoder";
            /** Format: uuid */
            inference_id: string | null;
            completion: string;
            model_id: string;
            model_used: string;
            latency_ms: number;
            token_usage: number;
        };
        Gliner2Body: {
            /** @enum {string|null} */
            task?: "extract_entities" | "classify_text" | "extract_json" | "schema" | null;
            model?: string | null;
            text: string | string[];
            schema: unknown[] | {
                [key: string]: unknown;
            };
            threshold?: number | null;
            /** @default false */
            include_confidence?: boolean | null;
            /** @default false */
            include_spans?: boolean | null;
            /** @default true */
            format_results?: boolean | null;
            /** @default true */
            store?: boolean | null;
        };
        Gliner2Response: {
            result: {
                [key: string]: unknown;
            } | unknown[];
            token_usage: number;
            warnings?: components["schemas"]["InferenceWarning"][];
            truncated?: boolean;
        };
        HealthExplained: {
            /** @enum {string} */
            status: "ok" | "damaged" | "error";
            info: {
                [key: string]: {
                    status?: string;
                } & {
                    [key: string]: unknown;
                };
            };
            error: {
                [key: string]: {
                    status?: string;
                } & {
                    [key: string]: unknown;
                };
            };
            details: {
                [key: string]: {
                    status?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        HealthStatus: {
            /** @enum {string} */
            status: "ok" | "unavailable";
        };
        Readiness: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            writes?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
