// Generated from openapi/ by `npm run contract`. Do not edit.

export interface paths {
    "/api/organizations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description The organizations the key's user belongs to, oldest first. A key limited to organizations sees those only.
         */
        get: operations["organizations.list"];
        put?: never;
        /**
         * Create an organization
         * @description Makes the organization with one project, "Default project", and makes the caller its owner.
         *     It becomes the caller's `@current` organization. The slug comes from the name and stays.
         */
        post: operations["organizations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read an organization
         * @description The organization with its projects and the caller's own level in it.
         */
        get: operations["organizations.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete an organization
         * @description Removes the organization with its projects, memberships and everything else it holds, at once and for good.
         *     Its people keep their accounts. Needs level 15.
         */
        delete: operations["organizations.delete"];
        options?: never;
        head?: never;
        /**
         * Change an organization
         * @description Changes the fields that are sent; the slug stays. Needs level 8.
         */
        patch: operations["organizations.update"];
        trace?: never;
    };
    "/api/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description The projects of all organizations the key's user belongs to, oldest first. A limited key sees what it is limited to.
         */
        get: operations["projects.list"];
        put?: never;
        /**
         * Create a project
         * @description Makes a project with a token of its own in `organization`, or in the caller's current organization.
         *     Needs level 8 there. It becomes the caller's `@current` project.
         */
        post: operations["projects.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a project
         * @description The project with its token.
         */
        get: operations["projects.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Removes the project and everything it holds. Its id is never used again. Needs level 8.
         */
        delete: operations["projects.delete"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Changes the fields that are sent. Needs level 8.
         */
        patch: operations["projects.update"];
        trace?: never;
    };
    "/api/projects/{id}/reset_token/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Replace a project's token
         * @description Gives the project a new token at once; senders that use the old one are refused from then on. Needs level 8.
         */
        patch: operations["projects.reset_token"];
        trace?: never;
    };
    "/api/users/@me/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the caller
         * @description The person behind the key, with what `@current` means for them. Any valid key will do.
         */
        get: operations["users.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's keys
         * @description All keys of the key's user, newest first, without their values. At most ten are in force, so there are no pages.
         */
        get: operations["api_keys.list"];
        put?: never;
        /**
         * Create a key
         * @description Makes a key for the same user and answers its value: the only time it is shown. A new key never exceeds the
         *     one that makes it, in organizations, projects or lifetime. A user has at most ten keys in force.
         */
        post: operations["api_keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/@current/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the key in use
         * @description What the key that makes this call may do. Any valid key will do.
         */
        get: operations["api_keys.current"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id, not its value. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a key
         * @description One of the caller's keys, without its value.
         */
        get: operations["api_keys.retrieve"];
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description The key stops working at once and for good. A key may revoke itself, but no key that reaches further.
         */
        delete: operations["api_keys.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/{id}/roll/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id, not its value. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key's value
         * @description Gives the key a new value and answers it, the only time it is shown; the old value stops working at once.
         *     Label, scopes and limits stay. A key cannot roll one that reaches further than itself.
         */
        post: operations["api_keys.roll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/signup/{invite_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invite's id. */
                invite_id: string;
            };
            cookie?: never;
        };
        /**
         * Look at an invite
         * @description What the holder of an invite's link may know before accepting it. Needs the link's secret as `token` and no key:
         *     an id alone opens nothing. A key that is sent anyway must be valid, and says who is asking.
         */
        get: operations["signup.retrieve"];
        put?: never;
        /**
         * Accept an invite
         * @description Joins the organization at the invite's level. A new address gets an account and a first key; somebody whose address
         *     already has an account must send that account's own key, and joins with it. Afterwards the invite is used up.
         */
        post: operations["signup.accept"];
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
        /**
         * Is the process alive
         * @description Answers as long as the process can answer at all. Restart it when this fails.
         */
        get: operations["service.live"];
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
        /**
         * Can it serve
         * @description Asks the database. Send no traffic while this fails; it also fails from the moment a shutdown begins.
         */
        get: operations["service.ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description Requests by operation and status, latency, event-loop lag, database time. Answers on loopback, or to
         *     `Authorization: Bearer <token>` where the operator set `METRICS_TOKEN`.
         */
        get: operations["service.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This contract
         * @description The contract this server speaks, as one JSON file. Generate clients from it.
         */
        get: operations["service.openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This contract, to read
         * @description A reference page for people, served by this process alone.
         */
        get: operations["service.docs"];
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
        /**
         * PageUrl
         * @description Absolute URL of the neighbouring page, or null where there is none.
         */
        PageUrl: string | null;
        /**
         * Team
         * @description A project as an organization shows it.
         */
        Team: {
            id: number;
            /** Format: uuid */
            uuid: string;
            /**
             * Format: uuid
             * @description The id of the organization it belongs to.
             */
            organization: string;
            /** @description The token that `/capture/` and `/batch/` take. Not a secret; it can only add events. */
            api_token: string;
            name: string;
            /** @description Always false. There is no onboarding here. */
            completed_snippet_onboarding: boolean;
            /** @description Always null. There is no onboarding here. */
            has_completed_onboarding_for: {
                [key: string]: unknown;
            } | null;
            /** @description Whether an event has ever arrived. */
            ingested_event: boolean;
            /** @description Always false. */
            is_demo: boolean;
            timezone: string;
            /** @description Always false. Every member sees every project. */
            access_control: boolean;
        };
        /**
         * Organization
         * @description The tenant. Everything else belongs to one.
         */
        Organization: {
            /** Format: uuid */
            id: string;
            /** @description Not unique. */
            name: string;
            /** @description Made from the name at creation, unique, never changes. */
            slug: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description The caller's own level. 1 is a member, 8 an administrator, 15 an owner.
             * @enum {integer|null}
             */
            membership_level: 1 | 8 | 15 | null;
            /**
             * @description What the organization may do with plugins. 0 is nothing, 3 configure, 6 install, 9 share with everyone.
             * @enum {integer}
             */
            plugins_access_level: 0 | 3 | 6 | 9;
            /** @description The organization's projects, oldest first. */
            teams: components["schemas"]["Team"][];
            /** @description Always empty. There are no paid features here. */
            available_product_features: {
                [key: string]: unknown;
            }[];
            /** @description Whether members are mailed when someone joins. */
            is_member_join_email_enabled: boolean;
            /** @description JSON text of an object with the key `instance_tag`. */
            metadata: string;
            /** @description Null. There is no billing here. */
            customer_id: string | null;
            /** @description Stored for clients that show it; without effect here, because there is no login. */
            enforce_2fa: boolean | null;
            /** @description The number of active members, as a string of digits. */
            member_count: string;
        };
        /**
         * OrganizationPage
         * @description One page of organizations.
         */
        OrganizationPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Organization"][];
        };
        /**
         * Error
         * @description The one body of every failure. Only the first problem is told.
         */
        Error: {
            /**
             * @description The kind of failure.
             * @enum {string}
             */
            type: "validation_error" | "invalid_request" | "authentication_error" | "throttled_error" | "server_error";
            /** @description What went wrong, for programs. */
            code: string;
            /** @description What went wrong and what to do about it, for people. */
            detail: string;
            /** @description The field to blame, nested names joined by two underscores; null when no field is. */
            attr: string | null;
        };
        /**
         * OrganizationWrite
         * @description What a caller may set on an organization.
         */
        OrganizationWrite: {
            name?: string;
            is_member_join_email_enabled?: boolean;
            enforce_2fa?: boolean | null;
        };
        /**
         * OrganizationCreate
         * @description A new organization.
         */
        OrganizationCreate: WithRequired<components["schemas"]["OrganizationWrite"], "name">;
        /**
         * Project
         * @description Where events arrive. Its token is what senders use.
         */
        Project: {
            id: number;
            /** Format: uuid */
            uuid: string;
            /**
             * Format: uuid
             * @description The id of the organization it belongs to.
             */
            organization: string;
            /** @description The token that `/capture/` and `/batch/` take. Not a secret; it can only add events. */
            api_token: string;
            name: string;
            /** @description Always `UTC`. */
            timezone: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Events older than this many days are removed in the background; null keeps them for ever. */
            event_retention_days: number | null;
        };
        /**
         * ProjectPage
         * @description One page of projects.
         */
        ProjectPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Project"][];
        };
        /**
         * ProjectWrite
         * @description What a caller may set on a project.
         */
        ProjectWrite: {
            name?: string;
            /** @description Events older than this many days are removed in the background; null keeps them for ever. */
            event_retention_days?: number | null;
        };
        /**
         * ProjectCreate
         * @description A new project.
         */
        ProjectCreate: {
            /** @description The id of the organization to make it in; absent, the caller's current one. */
            organization?: string;
        } & WithRequired<components["schemas"]["ProjectWrite"], "name">;
        /**
         * OrganizationRef
         * @description An organization, named.
         */
        OrganizationRef: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            /**
             * @description The caller's own level in it.
             * @enum {integer}
             */
            membership_level: 1 | 8 | 15;
        };
        /**
         * TeamRef
         * @description A project, named.
         */
        TeamRef: {
            id: number;
            /** Format: uuid */
            uuid: string;
            /** Format: uuid */
            organization: string;
            api_token: string;
            name: string;
            timezone: string;
        };
        /**
         * Me
         * @description The person behind the key, and where they work now.
         */
        Me: {
            id: number;
            /** Format: uuid */
            uuid: string;
            distinct_id: string | null;
            first_name: string;
            last_name: string;
            /** Format: email */
            email: string;
            is_email_verified: boolean | null;
            hedgehog_config: {
                [key: string]: unknown;
            } | null;
            /** @description What `@current` means as an organization; null for somebody who belongs to none. */
            organization: components["schemas"]["OrganizationRef"] | null;
            /** @description What `@current` means as a project; null where there is none. */
            team: components["schemas"]["TeamRef"] | null;
        };
        /**
         * Scope
         * @description What a key may do. A `:write` scope includes its `:read`; `*` is everything.
         * @enum {string}
         */
        Scope: "*" | "organization:read" | "organization:write" | "organization_member:read" | "organization_member:write" | "batch_export:read" | "batch_export:write" | "plugin:read" | "plugin:write" | "query:read";
        /**
         * ApiKey
         * @description A personal API key, without the value that opens doors.
         */
        ApiKey: {
            id: string;
            label: string;
            /** @description The key itself, in the answers that make or roll it; null ever after. */
            value: string | null;
            /** @description The first four and the last four characters, to recognise it by. */
            mask_value: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used, to the hour; null when it never was.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it stops working; null for never.
             */
            expires_at: string | null;
            user_id: number;
            /** @description What it may do. `*` is everything. */
            scopes: components["schemas"]["Scope"][];
            /** @description The projects it is limited to; empty for no limit. */
            scoped_teams: number[];
            /** @description The organizations it is limited to; empty for no limit. */
            scoped_organizations: string[];
        };
        /**
         * ApiKeyCreate
         * @description A new key. It never exceeds the key that makes it.
         */
        ApiKeyCreate: {
            label: string;
            /** @description At least one. */
            scopes: components["schemas"]["Scope"][];
            /** @description Limit the key to these projects. Such a key works on project paths only. */
            scoped_teams?: number[];
            /** @description Limit the key to these organizations. */
            scoped_organizations?: string[];
            /** @description When the key stops working; absent or null for never. */
            expires_at?: string | null;
        };
        /**
         * SignupInvite
         * @description What somebody who holds the invite's link may know about it.
         */
        SignupInvite: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            target_email: string;
            first_name: string;
            organization_name: string;
        };
        /**
         * SignupAccept
         * @description Accepting an invite.
         */
        SignupAccept: {
            /** @description The secret of the mailed link. */
            token: string;
            /** @description The new person's name; absent, the invite's. Somebody with an account keeps theirs. */
            first_name?: string;
            last_name?: string;
        };
        /**
         * User
         * @description A person.
         */
        User: {
            id: number;
            /** Format: uuid */
            uuid: string;
            distinct_id: string | null;
            first_name: string;
            last_name: string;
            /** Format: email */
            email: string;
            /** @description True once the person proved the address by a secret that was mailed to it; null when nobody asked. */
            is_email_verified: boolean | null;
            hedgehog_config: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * SignupAccepted
         * @description The person who joined. A new person gets a first key, shown here and never again.
         */
        SignupAccepted: {
            user: components["schemas"]["User"];
            /** Format: uuid */
            organization_id: string;
            /** @description The new person's first key, with all scopes; null for somebody who already had an account. */
            api_key: string | null;
        };
        /**
         * Health
         * @description Whether the process lives, and for `/health/ready` whether it can serve.
         */
        Health: {
            /** @enum {string} */
            status: "ok";
        };
    };
    responses: {
        /** @description Something in the request is wrong. Nothing was changed; `attr` names the field. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No key was sent, or it is unknown, expired or revoked. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the scope, or its user the level, that this operation needs. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such thing, or it is not yours to see. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests. Wait for the seconds in `Retry-After`. */
        Throttled: {
            headers: {
                /** @description Whole seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server failed. The answer carries nothing but a request id to quote. */
        Failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server cannot answer now. Try again after the seconds in `Retry-After`. */
        Unavailable: {
            headers: {
                /** @description Whole seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than this operation takes. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body's content type is not one this operation reads. Send `application/json`. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description How many results a page holds. */
        limit: number;
        /** @description How many results to pass over first. */
        offset: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "organizations.list": {
        parameters: {
            query?: {
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of organizations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organizations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationCreate"];
            };
        };
        responses: {
            /** @description The organization. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organizations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organizations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organizations.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OrganizationWrite"];
            };
        };
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "projects.list": {
        parameters: {
            query?: {
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "projects.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            /** @description The project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "projects.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "projects.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "projects.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProjectWrite"];
            };
        };
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "projects.reset_token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "users.me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyCreate"];
            };
        };
        responses: {
            /** @description The key, with its value. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.roll": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key's id, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, with its new value. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "signup.retrieve": {
        parameters: {
            query: {
                /** @description The secret of the mailed link. */
                token: string;
            };
            header?: never;
            path: {
                /** @description The invite's id. */
                invite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignupInvite"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "signup.accept": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invite's id. */
                invite_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignupAccept"];
            };
        };
        responses: {
            /** @description The person who joined. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignupAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "service.live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
        };
    };
    "service.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "service.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics in the Prometheus text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            403: components["responses"]["Forbidden"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
        };
    };
    "service.openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
        };
    };
    "service.docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An HTML page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
        };
    };
}
type WithRequired<T, K extends keyof T> = T & {
    [P in K]-?: T[P];
};
