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
         * @description Returns the organizations of the caller, oldest first. A restricted key sees only the organizations that it is
         *     restricted to. A session without a second factor does not see organizations that enforce one.
         */
        get: operations["organizations.list"];
        put?: never;
        /**
         * Create an organization
         * @description Creates an organization with one project, "Default project", and makes the caller its owner. The slug is derived
         *     from the name and does not change later. `@current` does not change.
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
         * Get an organization
         * @description Returns an organization with its projects and the caller's level.
         */
        get: operations["organizations.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete an organization
         * @description Deletes an organization permanently, with its projects, memberships and all other data. Its members keep their
         *     accounts. Requires level 15.
         */
        delete: operations["organizations.delete"];
        options?: never;
        head?: never;
        /**
         * Update an organization
         * @description Updates the fields that are sent. The slug does not change. Requires level 8. Turning `enforce_2fa` on or off with a
         *     session requires a sign-in within the last hour.
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
         * @description Returns the projects of all organizations of the caller, oldest first. A restricted key sees only the projects
         *     that it has access to. A session without a second factor does not see the projects of organizations that enforce one.
         */
        get: operations["projects.list"];
        put?: never;
        /**
         * Create a project
         * @description Creates a project with a new token in `organization`, or in the caller's current organization. Requires level 8
         *     there.
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
         * Get a project
         * @description Returns a project with its token.
         */
        get: operations["projects.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Deletes a project permanently, with its events and all other data. Its id is never reused. Requires level 8.
         */
        delete: operations["projects.delete"];
        options?: never;
        head?: never;
        /**
         * Update a project
         * @description Updates the fields that are sent. Requires level 8.
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
         * Reset a project's token
         * @description Replaces the token of a project. The old token stops working immediately. Requires level 8.
         */
        patch: operations["projects.reset_token"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List an organization's projects
         * @description Returns the projects of the organization, oldest first.
         */
        get: operations["organization_projects.list"];
        put?: never;
        /**
         * Create a project in an organization
         * @description Creates a project with a new token. Requires level 8.
         */
        post: operations["organization_projects.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` if the caller's current project is in the organization. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a project of an organization
         * @description Returns a project with its token.
         */
        get: operations["organization_projects.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a project of an organization
         * @description Deletes a project permanently, with its events and all other data. Its id is never reused. Requires level 8.
         */
        delete: operations["organization_projects.delete"];
        options?: never;
        head?: never;
        /**
         * Update a project of an organization
         * @description Updates the fields that are sent. Requires level 8.
         */
        patch: operations["organization_projects.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/{id}/reset_token/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` if the caller's current project is in the organization. */
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
         * Reset the token of a project of an organization
         * @description Replaces the token of a project. The old token stops working immediately. Requires level 8.
         */
        patch: operations["organization_projects.reset_token"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/members/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List members
         * @description Returns the members of the organization, most recently joined first. Members must match all filters. Inactive
         *     users are omitted.
         */
        get: operations["members.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/members/{user__uuid}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The `uuid` of the user, not the id of the membership, or `@me` for the caller. */
                user__uuid: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member from the organization. The user keeps the account and all other memberships. Members other than
         *     owners can leave by removing themselves. Removing another member requires level 8 and at least the level of that
         *     member; otherwise the response is 403. Removing an owner returns 400: demote the owner first.
         */
        delete: operations["members.remove"];
        options?: never;
        head?: never;
        /**
         * Update a member's level
         * @description Requires level 8. Callers cannot change a member above their own level, cannot grant a level above their own, and
         *     cannot change their own level. These cases return 403. Only owners can promote members to owner or demote owners,
         *     so an organization always has an owner. Promoting a member to owner does not change the caller's level.
         */
        patch: operations["members.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List invites
         * @description Returns the pending invites, newest first. Expired invites are included until they are deleted or replaced.
         */
        get: operations["invites.list"];
        put?: never;
        /**
         * Invite a user
         * @description Creates an invite that is valid for three days. If email is configured, the server sends the link; the response
         *     does not wait for the email. Every member can invite users up to their own level; a higher level returns 403. The
         *     invite replaces earlier invites to the same address. Inviting an existing member returns 400.
         *
         *     Per mailbox, an organization can send 3 invites per hour and 10 per day, including replaced and deleted ones. A
         *     user can send 10 per hour and 20 per day to a mailbox across all organizations. Addresses that differ only in dots
         *     or in the part after a plus count as one mailbox. In all, a user can create 100 invites per hour and 300 per day,
         *     and an organization 200 and 500. Above these limits, the response is 429 with `Retry-After`.
         *
         *     An organization sends a mailbox at most one email with invites per hour. Further invites wait and are sent
         *     together in the next one.
         */
        post: operations["invites.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/bulk/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite several users
         * @description Takes one invite or an array of at most 20, and returns one invite or an array in the same order. The rules of a
         *     single invite apply. Either all invites are created or none. In an error, `attr` starts with the index of the
         *     invalid invite, for example `3__target_email`. If email is not configured, each invite includes its
         *     `signup_token`.
         */
        post: operations["invites.bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the invite. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an invite
         * @description Deletes an invite. Its link stops working immediately. Every member can delete any invite of the organization.
         */
        delete: operations["invites.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/domains/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List domains
         * @description Returns the login domains of the organization, verified or not, ordered by name.
         */
        get: operations["domains.list"];
        put?: never;
        /**
         * Add a domain
         * @description Adds an unverified domain. Publish its challenge in DNS, then call `verify`. An organization can have each domain
         *     once. `jit_provisioning_enabled` and `sso_enforcement` require a verified domain and are ignored here. Requires
         *     level 8.
         */
        post: operations["domains.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/domains/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the domain. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a domain
         * @description Returns a domain with its challenge.
         */
        get: operations["domains.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a domain
         * @description Deletes a domain, verified or not. Adding it again creates a new challenge. Requires level 8.
         */
        delete: operations["domains.delete"];
        options?: never;
        head?: never;
        /**
         * Update a domain
         * @description Updates the fields that are sent. `domain` cannot be changed. Sending `jit_provisioning_enabled` or
         *     `sso_enforcement` for an unverified domain returns 400 `verification_required`. An invalid certificate, or enforcing a
         *     provider that is not configured, returns 400 `invalid_input`. Requires level 8.
         */
        patch: operations["domains.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/domains/{id}/verify/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the domain. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a domain
         * @description Looks up the TXT records of `verification_record_name`. If one equals the challenge, the domain is verified
         *     permanently. If none does, or if DNS fails, the response is also 200, with `is_verified` false: try again later.
         *     `found_records` lists the records that DNS returned.
         *
         *     A domain that is already verified returns 400 `already_verified`. A domain that another organization has verified
         *     returns 400 `already_claimed`. The request body is ignored. Requires level 8.
         */
        post: operations["domains.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/alerts/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List alerts
         * @description Returns the alerts of the organization, oldest first. Requires level 8.
         */
        get: operations["alerts.list"];
        put?: never;
        /**
         * Create an alert
         * @description Creates an alert with the channel `email` or `webhook`. The response for a webhook has the `secret` that signs its
         *     requests; it is never returned again. An organization can have 100 alerts. Requires level 8.
         *
         *     The channel `email` requires `emails`, addresses of active members; another address returns 400 `does_not_exist`. The
         *     channel `webhook` requires `url`; a private address returns 400 `outbound_refused`.
         */
        post: operations["alerts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/alerts/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the alert. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get an alert
         * @description Returns an alert without its secret. Requires level 8.
         */
        get: operations["alerts.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete an alert
         * @description Deletes an alert with its messages that are not sent yet. Requires level 8.
         */
        delete: operations["alerts.delete"];
        options?: never;
        head?: never;
        /**
         * Update an alert
         * @description Updates the fields that are sent. Another `channel` returns 400 `invalid_input`. A new `url` creates a new `secret`,
         *     which only this response contains. Disabling an alert discards its messages that are not sent yet. Requires level 8.
         */
        patch: operations["alerts.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/alerts/{id}/test/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the alert. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message
         * @description Sends a message of the type `test`, also for a disabled alert. A webhook gets one request, and the response has its
         *     result. Emails are enqueued. If nothing can be sent, the response is also 200, with `sent` false. Requires level 8.
         */
        post: operations["alerts.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/activity_log/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List the activity of an organization
         * @description Returns the changes to the organization, its members, invites, domains, keys, projects, exports, alerts and plugins, and
         *     the successful and failed sign-ins of its members, newest first. Follow `next` to read further pages. Entries never
         *     change. They are deleted after the retention time that the operator configured.
         */
        get: operations["activity_log.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * Get the current user
         * @description Returns the user that the key belongs to, with the current organization and project. Any valid key may call it. If the
         *     organization enforces two-factor authentication and the session has no second factor, `team` is null.
         */
        get: operations["users.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the current user
         * @description Updates the caller's name, address, password, current organization and current project, all or none. Requires a
         *     session or an unrestricted key with the scope `*`. A new password requires a session, and `current_password` if the
         *     account has a password; it ends the other sessions. A new address is returned as `pending_email` until the emailed link is opened. An
         *     organization or project that the caller cannot access returns 400 `does_not_exist`. A project outside the
         *     organization in the same request returns 400. Nothing else changes `@current` while the caller has access.
         */
        patch: operations["users.update"];
        trace?: never;
    };
    "/api/users/verify_email/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an address
         * @description Takes the token from an emailed link and marks the address as verified. A pending address becomes the user's address.
         *     Does not sign in. An unknown, used or expired token returns 400 `invalid_token`.
         */
        post: operations["users.verify_email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/request_email_verification/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a verification email
         * @description Emails a link that verifies the caller's pending address, or the current address if none is pending. A server that
         *     does not send email returns 400 `email_not_available`. More than six emails per day return 429.
         */
        post: operations["users.request_email_verification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/two_factor_status/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller's two-factor status
         * @description Returns whether two-factor authentication is on, and the number of remaining backup codes.
         */
        get: operations["two_factor.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/two_factor_start_setup/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start setting up two-factor authentication
         * @description Creates a secret for an authenticator app and returns it as text, as an `otpauth:` URL and as a QR code. To
         *     turn two-factor authentication on, send a code from the app to `two_factor_validate` within ten minutes. If it is
         *     already on, the response is 400 `2fa_already_enabled`: turn it off first, with the password or a code. Requires a
         *     sign-in within the last hour.
         */
        post: operations["two_factor.start_setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/two_factor_validate/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn on two-factor authentication
         * @description Takes a code from the authenticator app and returns ten backup codes, which are shown once. A wrong code returns 400
         *     `token_invalid`. If no setup was started within the last ten minutes, the response is 400 `setup_expired`.
         */
        post: operations["two_factor.validate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/two_factor_backup_codes/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create new backup codes
         * @description Replaces the backup codes with ten new ones, which are shown once. Requires a sign-in within the last hour, and the
         *     password or a code: a wrong password returns 400 `incorrect_password`, a wrong code 400 `token_invalid`. Repeated
         *     failures return 429 or 400 `2fa_too_many_attempts`, as at sign-in. A user without a password may leave both out after
         *     signing in again with their provider. If two-factor authentication is off, the response is 400 `2fa_not_enabled`.
         */
        post: operations["two_factor.backup_codes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/two_factor_disable/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn off two-factor authentication
         * @description Requires a sign-in within the last hour, and the password or a code: a wrong password returns 400
         *     `incorrect_password`, a wrong code 400 `token_invalid`. Repeated failures return 429 or 400 `2fa_too_many_attempts`, as
         *     at sign-in. A user without a password may leave both out after signing in again with their provider. If two-factor
         *     authentication is off, the response is 400 `2fa_not_enabled`.
         */
        post: operations["two_factor.disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/login_sessions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's sessions
         * @description Returns the caller's active sessions, most recently used first.
         */
        get: operations["session.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/login_sessions/end_others/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the caller's other sessions
         * @description Ends every session of the caller except the session of the request. Requires a sign-in within the last hour.
         */
        post: operations["session.end_others"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/login_sessions/{session_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Ends one of the caller's sessions, immediately and on every node. Requires a sign-in within the last hour.
         */
        delete: operations["session.end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/precheck/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the sign-in methods of an address
         * @description Returns the single sign-on rules of the address's domain. The response depends only on the domain and never
         *     reveals whether an account exists.
         */
        post: operations["session.precheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a password
         * @description Creates a session and sets its cookies. A session works for every operation. It has all scopes and the user's level.
         *     Requests with a session and an unsafe method need the header `X-CSRF-Token` and an `Origin` of this server.
         *
         *     A wrong password, an unknown address and an account without a password all return 401 `invalid_credentials`. An
         *     account with two-factor authentication returns 401 `2fa_required`: continue with `POST /api/login/token/`. An address
         *     whose domain enforces single sign-on returns 400 `sso_enforced`. Repeated failures return 429. Signing in again replaces
         *     the session, and sensitive operations are allowed for another hour.
         */
        post: operations["session.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/token/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a sign-in with a second factor
         * @description Takes a code from the authenticator app or a backup code, and creates the session. The cookie that the first step set
         *     identifies the sign-in. It is valid for ten minutes; without a valid cookie, the response is 400 `2fa_expired`. A wrong
         *     code returns 400 `2fa_invalid`. An attempt too soon after a wrong code returns 400 `2fa_too_many_attempts`.
         */
        post: operations["session.verify_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/link/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a one-time link
         * @description Takes the token of a link that `workspace-admin users link` or the first start printed. A link works once, for one
         *     hour. It does not replace the second factor: an account that has one returns 401 `2fa_required`. An unknown, used or
         *     expired token returns 400 `invalid_token`.
         */
        post: operations["session.use_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logout/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session of the request and clears its cookies. Does nothing for a request with a key.
         */
        post: operations["session.delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reset/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset
         * @description Emails a link that resets the password. It works once, for one hour. The response is the same whether or not the
         *     address has an account. An address whose domain enforces single sign-on returns 400 `sso_enforced`. A server that does
         *     not send email returns 400 `email_not_available`. More than six requests per day and address return 429.
         */
        post: operations["password_reset.request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reset/{user_uuid}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `uuid` of the user, from the emailed link. */
                user_uuid: string;
            };
            cookie?: never;
        };
        /**
         * Check a reset link
         * @description Checks whether a reset link still works. If it does not, the response is 400 `invalid_token`.
         */
        get: operations["password_reset.check"];
        put?: never;
        /**
         * Set a new password
         * @description Sets the password and ends all sessions of the user. The link cannot be used again. Does not sign in. An invalid
         *     password returns 400 `password_too_short`, `password_too_weak` or `max_length`.
         */
        post: operations["password_reset.complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the sign-in page
         * @description Returns the HTML page for signing in. One-time links open it with their token in the fragment of the URL.
         */
        get: operations["session.page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/{provider}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `google-oauth2`, `github`, `gitlab`, `oidc` or `saml`. */
                provider: string;
            };
            cookie?: never;
        };
        /**
         * Start single sign-on
         * @description Redirects the browser to the provider. SAML needs `email`, whose domain selects the provider. `next` is the page to
         *     return to, a path on this server. With `invite_id`, the sign-in accepts that invite.
         */
        get: operations["sso.begin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/complete/saml/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete SAML sign-on
         * @description The assertion consumer service. The identity provider posts its response here, at most 256 KiB.
         */
        post: operations["sso.complete_saml"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/complete/{provider}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `google-oauth2`, `github`, `gitlab` or `oidc`. */
                provider: string;
            };
            cookie?: never;
        };
        /**
         * Complete single sign-on
         * @description The provider redirects the browser here with an authorization code. Creates the session and sets its cookies.
         */
        get: operations["sso.complete"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saml/metadata/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the SAML metadata
         * @description Returns the service-provider metadata to configure an identity provider with. It contains no secrets.
         */
        get: operations["sso.metadata"];
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
         * List API keys
         * @description Returns all keys of the caller, newest first, without their values. A user has at most ten active keys, so the
         *     list is not paginated.
         */
        get: operations["api_keys.list"];
        put?: never;
        /**
         * Create an API key
         * @description Creates a key for the caller and returns its value, which is never returned again. The new key cannot have more
         *     access or a later expiry than the key that creates it. A user can have at most ten active keys. If the new key reaches
         *     an organization that enforces two-factor authentication, only a session with a second factor can create it: 403
         *     `two_factor_setup_required`. A key restricted to projects reaches their organizations.
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
         * Get the current API key
         * @description Returns the key that authenticates this request. Any valid key may call it.
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
                /** @description The id of the key, not its value. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get an API key
         * @description Returns one of the caller's keys, without its value.
         */
        get: operations["api_keys.retrieve"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Revokes a key immediately and permanently. A key can revoke itself. It cannot revoke a key with more access.
         */
        delete: operations["api_keys.revoke"];
        options?: never;
        head?: never;
        /**
         * Update an API key
         * @description Updates the fields that are sent. The value does not change and is not returned. A key can update itself. It
         *     cannot update a key with more access or a later expiry, it cannot grant more than its own access and expiry, and it
         *     cannot change the restrictions of another key. If the key reaches an organization that enforces two-factor
         *     authentication, before or after the change, only a session with a second factor can change more than the label: 403
         *     `two_factor_setup_required`.
         */
        patch: operations["api_keys.update"];
        trace?: never;
    };
    "/api/personal_api_keys/{id}/roll/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the key, not its value. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll an API key
         * @description Replaces the value of a key and returns the new one, which is never returned again. The old value stops working
         *     immediately. Label, scopes and restrictions stay the same. A key cannot roll a key with more access. If the key reaches
         *     an organization that enforces two-factor authentication, only a session with a second factor can roll it: 403
         *     `two_factor_setup_required`.
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
                /** @description The id of the invite. */
                invite_id: string;
            };
            cookie?: never;
        };
        /**
         * Get an invite
         * @description Returns an invite to the holder of its link. Requires the token from the link, but no API key. If a key is sent,
         *     it must be valid, and it identifies the caller.
         */
        get: operations["signup.retrieve"];
        put?: never;
        /**
         * Accept an invite
         * @description Adds the user to the organization at the invite's level. An invite can be accepted once. For a new email address,
         *     the server creates an account and a first API key.
         *
         *     If the address already has an account, send an API key of that account. The key needs the scope `*` and must not
         *     be restricted to organizations or projects; otherwise the response is 403. The account's `@current` does not
         *     change. Without a key, the response is 400 `account_exists`.
         *
         *     There is one exception: if that account never verified its address (`is_email_verified` is false) and the token
         *     was sent by email, a new account supersedes it. The old account loses its address, keys and memberships, and
         *     nothing is transferred. A `signup_token` from an API response never supersedes an account.
         */
        post: operations["signup.accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signup/{invite_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the invite. */
                invite_id: string;
            };
            cookie?: never;
        };
        /**
         * Show the invite page
         * @description Returns the page that an invite link opens in a browser. The page is the same for every invite. It calls the API
         *     with the token from the link.
         */
        get: operations["signup.page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/integrations/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List integrations
         * @description Returns the integrations of the organization, newest first. Secrets are omitted.
         */
        get: operations["integrations.list"];
        put?: never;
        /**
         * Create an integration
         * @description Stores credentials. An export uses them if its `destination.integration` is the id of the integration. Every member can
         *     create such exports, and none can read the secrets or send them elsewhere. Requires level 8.
         */
        post: operations["integrations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/integrations/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the integration. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get an integration
         * @description Returns an integration. Secrets are omitted.
         */
        get: operations["integrations.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete an integration
         * @description Deletes an integration. Returns 409 `conflict` while batch exports use it. Requires level 8.
         */
        delete: operations["integrations.delete"];
        options?: never;
        head?: never;
        /**
         * Update an integration
         * @description Updates the fields that are sent. The config is merged into the stored config and then validated as a whole. Secrets that
         *     are not sent stay the same. If a change sends them to a different receiver (keys marked `x-secret-receiver`), they must be
         *     sent again. Every export with the integration uses the new config from its next attempt on. Requires level 8.
         */
        patch: operations["integrations.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/integrations/{id}/test/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the integration. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an integration
         * @description Checks step by step whether the credentials work for an export with this `config`. The test removes the data that it
         *     writes. Returns 200 also if a step fails.
         */
        post: operations["integrations.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List batch exports
         * @description Returns the batch exports of the project, newest first. On organization paths, returns those of all its projects.
         *     Secrets are omitted.
         */
        get: operations["batch_exports.list"];
        put?: never;
        /**
         * Create a batch export
         * @description Creates a batch export and its schedule. The first run starts at the end of the current interval. Use `backfill` to
         *     export past events, and `test` to check the destination first.
         */
        post: operations["batch_exports.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/test/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a destination
         * @description Checks step by step whether the destination is reachable and writable. The test removes the data that it writes, and
         *     the server stores nothing. Returns 200 even if a step fails.
         */
        post: operations["batch_exports.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a batch export
         * @description Returns a batch export with its ten most recent runs. Secrets are omitted.
         */
        get: operations["batch_exports.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a batch export
         * @description Deletes a batch export and its schedule, and cancels its backfills. Delivered data is not deleted.
         */
        delete: operations["batch_exports.delete"];
        options?: never;
        head?: never;
        /**
         * Update a batch export
         * @description Updates the fields that are sent. The schedule changes immediately. A change of the interval, the time zone or an
         *     offset neither loses nor repeats events. The destination's config is merged into the stored config and then validated as a whole. Secrets
         *     that are not sent stay the same. If a change sends them to a different receiver (keys marked `x-secret-receiver`),
         *     they must be sent again.
         */
        patch: operations["batch_exports.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/{id}/backfill/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Backfill a batch export
         * @description Exports the events with timestamps in the range, one interval after another, in addition to the scheduled runs.
         *     Persons are selected by the time of their change, sessions by their start. A
         *     backfill covers at most 10,000 intervals. Its runs appear in the list of runs; cancelling one of them cancels the
         *     backfill. Paused exports can be backfilled too. The list of backfills shows its progress.
         */
        post: operations["batch_exports.backfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/{id}/pause/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch export
         * @description Stops scheduling runs. A run in progress continues. Events that arrived before the pause are exported when the
         *     export is unpaused. Pausing a paused export has no effect. The request body is ignored.
         */
        post: operations["batch_exports.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/{id}/run/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a batch export now
         * @description Plans one scheduled run that delivers everything from the end of the last window up to now, and returns it. The next
         *     window starts where it ends. While that run is open, another call returns the same run. A paused export, an export that
         *     has not started and one that has ended return 400.
         */
        post: operations["batch_exports.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/{id}/unpause/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpause a batch export
         * @description Resumes scheduling runs. Events that arrived before the pause are exported first. Events that arrived during the
         *     pause are skipped: the response has their number and the times of the pause, and so does the export's log. With
         *     `backfill: true` they are exported too. Unpausing an export that is not paused has no effect.
         */
        post: operations["batch_exports.unpause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List batch exports
         * @description Returns the batch exports of the project, newest first. On organization paths, returns those of all its projects.
         *     Secrets are omitted.
         */
        get: operations["project_batch_exports.list"];
        put?: never;
        /**
         * Create a batch export
         * @description Creates a batch export and its schedule. The first run starts at the end of the current interval. Use `backfill` to
         *     export past events, and `test` to check the destination first.
         */
        post: operations["project_batch_exports.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/test/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a destination
         * @description Checks step by step whether the destination is reachable and writable. The test removes the data that it writes, and
         *     the server stores nothing. Returns 200 even if a step fails.
         */
        post: operations["project_batch_exports.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/preview/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a query
         * @description Runs the query of a batch export on recent rows of its model and returns up to ten of them, newest first, with the
         *     values that an export to JSON lines would contain. The query reads the latest 100,000 rows at most, and the server
         *     stores nothing. `filters`, `include_events` and `exclude_events` narrow the rows as they do in a batch export.
         *     An invalid query returns 400 with the `attr` `hogql_query`. The `detail` of such an error ends with the place in the
         *     query, as in `Unknown field "foo" (line 1, column 8).` Columns count UTF-16 code units from 1.
         */
        post: operations["project_batch_exports.preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a batch export
         * @description Returns a batch export with its ten most recent runs. Secrets are omitted.
         */
        get: operations["project_batch_exports.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a batch export
         * @description Deletes a batch export and its schedule, and cancels its backfills. Delivered data is not deleted.
         */
        delete: operations["project_batch_exports.delete"];
        options?: never;
        head?: never;
        /**
         * Update a batch export
         * @description Updates the fields that are sent. The schedule changes immediately. A change of the interval, the time zone or an
         *     offset neither loses nor repeats events. The destination's config is merged into the stored config and then validated as a whole. Secrets
         *     that are not sent stay the same. If a change sends them to a different receiver (keys marked `x-secret-receiver`),
         *     they must be sent again.
         */
        patch: operations["project_batch_exports.update"];
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{id}/backfill/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Backfill a batch export
         * @description Exports the events with timestamps in the range, one interval after another, in addition to the scheduled runs.
         *     Persons are selected by the time of their change, sessions by their start. A
         *     backfill covers at most 10,000 intervals. Its runs appear in the list of runs; cancelling one of them cancels the
         *     backfill. Paused exports can be backfilled too. The list of backfills shows its progress.
         */
        post: operations["project_batch_exports.backfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{id}/pause/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch export
         * @description Stops scheduling runs. A run in progress continues. Events that arrived before the pause are exported when the
         *     export is unpaused. Pausing a paused export has no effect. The request body is ignored.
         */
        post: operations["project_batch_exports.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{id}/run/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a batch export now
         * @description Plans one scheduled run that delivers everything from the end of the last window up to now, and returns it. The next
         *     window starts where it ends. While that run is open, another call returns the same run. A paused export, an export that
         *     has not started and one that has ended return 400.
         */
        post: operations["project_batch_exports.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{id}/unpause/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpause a batch export
         * @description Resumes scheduling runs. Events that arrived before the pause are exported first. Events that arrived during the
         *     pause are skipped: the response has their number and the times of the pause, and so does the export's log. With
         *     `backfill: true` they are exported too. Unpausing an export that is not paused has no effect.
         */
        post: operations["project_batch_exports.unpause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/logs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        /**
         * List log entries of a batch export
         * @description Returns the log entries of a batch export and all its runs, newest first. Filters apply to the newest 10,000 entries;
         *     `before` moves them into the past.
         */
        get: operations["project_batch_exports.logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        /**
         * List runs
         * @description Returns the runs of a batch export, newest first, 100 per page. Follow `next` to get all of them; runs that start
         *     in the meantime do not shift the pages.
         */
        get: operations["batch_export_runs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a run
         * @description Returns a run of a batch export.
         */
        get: operations["batch_export_runs.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a run
         * @description Exports the events of the run again. Destinations that support it do not store an event twice.
         */
        post: operations["batch_export_runs.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Stops a `Starting` or `Running` run. A run that has ended returns 400. The schedule continues. Cancelling a run of
         *     a backfill cancels the entire backfill.
         */
        post: operations["batch_export_runs.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{run_id}/logs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        /**
         * List log entries of a run
         * @description Returns the log entries of a run, newest first. Filters apply to the newest 10,000 entries; `before` moves them into
         *     the past.
         */
        get: operations["batch_export_runs.logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        /**
         * List backfills
         * @description Returns the backfills of a batch export, newest first. Follow `next` to get all of them. Backfills are deleted after
         *     the retention time of runs.
         */
        get: operations["batch_export_backfills.list"];
        put?: never;
        /**
         * Start a backfill
         * @description Exports the events with timestamps in the range, one interval after another, in addition to the scheduled runs. A
         *     backfill covers at most 10,000 intervals. If a backfill of the same range is in progress, it is returned instead of
         *     a new one. Paused exports can be backfilled too.
         */
        post: operations["batch_export_backfills.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/estimate/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate a backfill
         * @description Returns the number of runs and events, and the approximate size, that a backfill of the range would have. Rejects
         *     ranges that cannot be backfilled. The server stores nothing.
         */
        post: operations["batch_export_backfills.estimate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the backfill. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a backfill
         * @description Returns a backfill with its progress.
         */
        get: operations["batch_export_backfills.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/{id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the backfill. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a backfill
         * @description Stops a `Starting` or `Running` backfill and its current run. Delivered data is not deleted. A backfill that has
         *     ended returns 400.
         */
        post: operations["batch_export_backfills.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins
         * @description Returns the plugins of this family that the organization can see, oldest first: its own plugins, global plugins of
         *     other organizations, and plugins that its projects configured while they were global. Requires plugin access level
         *     3.
         */
        get: operations["pipeline_destinations.list"];
        put?: never;
        /**
         * Install a plugin
         * @description Fetches the code from `url` or stores the code in `source`. Without either, stores only the fields. The code is not
         *     executed. Fields in `plugin.json` take precedence over fields in the request. The family of a plugin cannot be
         *     changed. An organization can install each URL once. Requires plugin access level 6. If `is_global` is true, requires
         *     level 8 and plugin access level 9.
         */
        post: operations["pipeline_destinations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get a plugin
         * @description Returns a plugin of this family. Requires plugin access level 3.
         */
        get: operations["pipeline_destinations.retrieve"];
        put?: never;
        post?: never;
        /**
         * Uninstall a plugin
         * @description Deletes a plugin, its code, and its configurations in all projects. Its activity is kept. A global plugin is
         *     rejected: set `is_global` to false first. Requires plugin access level 6.
         */
        delete: operations["pipeline_destinations.delete"];
        options?: never;
        head?: never;
        /**
         * Update a plugin
         * @description Updates the fields that are sent. The URL and the family cannot be changed. Only the organization that owns the
         *     plugin can update it. Requires plugin access level 6. Changing `is_global` requires level 8 and plugin access level
         *     9. Changing `config_schema` requires level 8 if a configuration of the plugin has secrets.
         */
        patch: operations["pipeline_destinations.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/check_for_updates/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Check a plugin for updates
         * @description Looks up the latest revision at the plugin's origin and stores it as `latest_tag`. The code does not change. A
         *     plugin that was not fetched from a URL is returned unchanged. Requires plugin access level 6.
         */
        get: operations["pipeline_destinations.check_for_updates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/source/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get the source code of a plugin
         * @description Returns a plugin with all its files. Only the organization that owns the plugin can read them. Requires plugin
         *     access level 6.
         */
        get: operations["pipeline_destinations.source"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/update_source/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
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
         * Update the source code of a plugin
         * @description Writes the files that are sent and deletes files that are sent as null, all or none. Updates the name and settings
         *     from the new `plugin.json`, and `capabilities` from the new code. An invalid `plugin.json` is rejected. Code that does
         *     not load is stored, and `source_errors` lists the errors. While the plugin is enabled, such code is rejected, unless
         *     `allow_broken` is set. Requires plugin access level 6, and level 8 if a configuration of the plugin has secrets.
         */
        patch: operations["pipeline_destinations.update_source"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/upgrade/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upgrade a plugin
         * @description Fetches the latest revision, replaces the code and the fields from `plugin.json`, and sets `tag` and `latest_tag`. A
         *     plugin that was not fetched from a URL is returned unchanged. A revision that does not load is rejected while the plugin
         *     is enabled. Requires plugin access level 6, and level 8 if a configuration of the plugin has secrets.
         */
        post: operations["pipeline_destinations.upgrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugin activity
         * @description Returns the plugins of this family that have activity in the organization, most recently changed first, each with
         *     its activity and that of its configurations. Uninstalled plugins are included. Requires plugin access level 3.
         */
        get: operations["pipeline_destinations.activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/exports_unsubscribe_configs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins that export events
         * @description Returns the plugins of this family that are enabled in a project of the organization and export events. They stop
         *     when the pipeline is disabled. Requires plugin access level 3.
         */
        get: operations["pipeline_destinations.exports_unsubscribe_configs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/repository/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List the plugin catalog
         * @description Returns the catalog that is built into the server. It is the same for every family. To install an entry, send its
         *     `url` to the create operation. Requires plugin access level 3.
         */
        get: operations["pipeline_destinations.repository"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/unused/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List unused plugins
         * @description Returns the plugins of this family that the organization can see and that are not enabled in any of its projects.
         *     Requires plugin access level 3.
         */
        get: operations["pipeline_destinations.unused"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins
         * @description Returns the plugins of this family that the organization can see, oldest first: its own plugins, global plugins of
         *     other organizations, and plugins that its projects configured while they were global. Requires plugin access level
         *     3.
         */
        get: operations["pipeline_frontend_apps.list"];
        put?: never;
        /**
         * Install a plugin
         * @description Fetches the code from `url` or stores the code in `source`. Without either, stores only the fields. The code is not
         *     executed. Fields in `plugin.json` take precedence over fields in the request. The family of a plugin cannot be
         *     changed. An organization can install each URL once. Requires plugin access level 6. If `is_global` is true, requires
         *     level 8 and plugin access level 9.
         */
        post: operations["pipeline_frontend_apps.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get a plugin
         * @description Returns a plugin of this family. Requires plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.retrieve"];
        put?: never;
        post?: never;
        /**
         * Uninstall a plugin
         * @description Deletes a plugin, its code, and its configurations in all projects. Its activity is kept. A global plugin is
         *     rejected: set `is_global` to false first. Requires plugin access level 6.
         */
        delete: operations["pipeline_frontend_apps.delete"];
        options?: never;
        head?: never;
        /**
         * Update a plugin
         * @description Updates the fields that are sent. The URL and the family cannot be changed. Only the organization that owns the
         *     plugin can update it. Requires plugin access level 6. Changing `is_global` requires level 8 and plugin access level
         *     9. Changing `config_schema` requires level 8 if a configuration of the plugin has secrets.
         */
        patch: operations["pipeline_frontend_apps.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/check_for_updates/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Check a plugin for updates
         * @description Looks up the latest revision at the plugin's origin and stores it as `latest_tag`. The code does not change. A
         *     plugin that was not fetched from a URL is returned unchanged. Requires plugin access level 6.
         */
        get: operations["pipeline_frontend_apps.check_for_updates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/source/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get the source code of a plugin
         * @description Returns a plugin with all its files. Only the organization that owns the plugin can read them. Requires plugin
         *     access level 6.
         */
        get: operations["pipeline_frontend_apps.source"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/update_source/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
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
         * Update the source code of a plugin
         * @description Writes the files that are sent and deletes files that are sent as null, all or none. Updates the name and settings
         *     from the new `plugin.json`, and `capabilities` from the new code. An invalid `plugin.json` is rejected. Code that does
         *     not load is stored, and `source_errors` lists the errors. While the plugin is enabled, such code is rejected, unless
         *     `allow_broken` is set. Requires plugin access level 6, and level 8 if a configuration of the plugin has secrets.
         */
        patch: operations["pipeline_frontend_apps.update_source"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/upgrade/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upgrade a plugin
         * @description Fetches the latest revision, replaces the code and the fields from `plugin.json`, and sets `tag` and `latest_tag`. A
         *     plugin that was not fetched from a URL is returned unchanged. A revision that does not load is rejected while the plugin
         *     is enabled. Requires plugin access level 6, and level 8 if a configuration of the plugin has secrets.
         */
        post: operations["pipeline_frontend_apps.upgrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugin activity
         * @description Returns the plugins of this family that have activity in the organization, most recently changed first, each with
         *     its activity and that of its configurations. Uninstalled plugins are included. Requires plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/exports_unsubscribe_configs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins that export events
         * @description Returns the plugins of this family that are enabled in a project of the organization and export events. They stop
         *     when the pipeline is disabled. Requires plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.exports_unsubscribe_configs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/repository/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List the plugin catalog
         * @description Returns the catalog that is built into the server. It is the same for every family. To install an entry, send its
         *     `url` to the create operation. Requires plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.repository"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/unused/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List unused plugins
         * @description Returns the plugins of this family that the organization can see and that are not enabled in any of its projects.
         *     Requires plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.unused"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins
         * @description Returns the plugins of this family that the organization can see, oldest first: its own plugins, global plugins of
         *     other organizations, and plugins that its projects configured while they were global. Requires plugin access level
         *     3.
         */
        get: operations["pipeline_import_apps.list"];
        put?: never;
        /**
         * Install a plugin
         * @description Fetches the code from `url` or stores the code in `source`. Without either, stores only the fields. The code is not
         *     executed. Fields in `plugin.json` take precedence over fields in the request. The family of a plugin cannot be
         *     changed. An organization can install each URL once. Requires plugin access level 6. If `is_global` is true, requires
         *     level 8 and plugin access level 9.
         */
        post: operations["pipeline_import_apps.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get a plugin
         * @description Returns a plugin of this family. Requires plugin access level 3.
         */
        get: operations["pipeline_import_apps.retrieve"];
        put?: never;
        post?: never;
        /**
         * Uninstall a plugin
         * @description Deletes a plugin, its code, and its configurations in all projects. Its activity is kept. A global plugin is
         *     rejected: set `is_global` to false first. Requires plugin access level 6.
         */
        delete: operations["pipeline_import_apps.delete"];
        options?: never;
        head?: never;
        /**
         * Update a plugin
         * @description Updates the fields that are sent. The URL and the family cannot be changed. Only the organization that owns the
         *     plugin can update it. Requires plugin access level 6. Changing `is_global` requires level 8 and plugin access level
         *     9. Changing `config_schema` requires level 8 if a configuration of the plugin has secrets.
         */
        patch: operations["pipeline_import_apps.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/check_for_updates/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Check a plugin for updates
         * @description Looks up the latest revision at the plugin's origin and stores it as `latest_tag`. The code does not change. A
         *     plugin that was not fetched from a URL is returned unchanged. Requires plugin access level 6.
         */
        get: operations["pipeline_import_apps.check_for_updates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/source/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get the source code of a plugin
         * @description Returns a plugin with all its files. Only the organization that owns the plugin can read them. Requires plugin
         *     access level 6.
         */
        get: operations["pipeline_import_apps.source"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/update_source/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
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
         * Update the source code of a plugin
         * @description Writes the files that are sent and deletes files that are sent as null, all or none. Updates the name and settings
         *     from the new `plugin.json`, and `capabilities` from the new code. An invalid `plugin.json` is rejected. Code that does
         *     not load is stored, and `source_errors` lists the errors. While the plugin is enabled, such code is rejected, unless
         *     `allow_broken` is set. Requires plugin access level 6, and level 8 if a configuration of the plugin has secrets.
         */
        patch: operations["pipeline_import_apps.update_source"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/upgrade/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upgrade a plugin
         * @description Fetches the latest revision, replaces the code and the fields from `plugin.json`, and sets `tag` and `latest_tag`. A
         *     plugin that was not fetched from a URL is returned unchanged. A revision that does not load is rejected while the plugin
         *     is enabled. Requires plugin access level 6, and level 8 if a configuration of the plugin has secrets.
         */
        post: operations["pipeline_import_apps.upgrade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugin activity
         * @description Returns the plugins of this family that have activity in the organization, most recently changed first, each with
         *     its activity and that of its configurations. Uninstalled plugins are included. Requires plugin access level 3.
         */
        get: operations["pipeline_import_apps.activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/exports_unsubscribe_configs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins that export events
         * @description Returns the plugins of this family that are enabled in a project of the organization and export events. They stop
         *     when the pipeline is disabled. Requires plugin access level 3.
         */
        get: operations["pipeline_import_apps.exports_unsubscribe_configs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/repository/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List the plugin catalog
         * @description Returns the catalog that is built into the server. It is the same for every family. To install an entry, send its
         *     `url` to the create operation. Requires plugin access level 3.
         */
        get: operations["pipeline_import_apps.repository"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/unused/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List unused plugins
         * @description Returns the plugins of this family that the organization can see and that are not enabled in any of its projects.
         *     Requires plugin access level 3.
         */
        get: operations["pipeline_import_apps.unused"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List plugin configurations
         * @description Returns the plugin configurations of the project, enabled or not, sorted by `order`. Requires plugin access level
         *     3.
         */
        get: operations["plugin_configs.list"];
        put?: never;
        /**
         * Configure a plugin
         * @description Configures a plugin that the organization can see for the project. The settings are validated against the plugin's
         *     `config_schema`. Secret settings are encrypted and never returned. Requires plugin access level 3.
         */
        post: operations["plugin_configs.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/test/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a plugin
         * @description Runs a plugin on sample events and returns the output, the log and the time of each call. Nothing is stored:
         *     storage and cache are empty and discarded, captured events and jobs are listed. Requests of the plugin are sent.
         *     With `plugin_config`, the stored settings are used; if they include secrets, this requires level 8. With `source`,
         *     the code is replaced. Requires plugin access level 3.
         */
        post: operations["plugin_configs.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get a plugin configuration
         * @description Returns a configuration with its plugin. Secret settings are masked. Requires plugin access level 3.
         */
        get: operations["plugin_configs.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a plugin configuration
         * @description Deletes a configuration with its settings. The plugin stays installed. Requires plugin access level 3.
         */
        delete: operations["plugin_configs.delete"];
        options?: never;
        head?: never;
        /**
         * Update a plugin configuration
         * @description Updates the fields that are sent. `config` is replaced as a whole, except for secrets that are sent masked. The
         *     plugin cannot be changed. Requires plugin access level 3.
         */
        patch: operations["plugin_configs.update"];
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{id}/frontend/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get the frontend of a plugin
         * @description Returns the transpiled `frontend.tsx` of the plugin as an ES module. Its export `getFrontendApp(require)` returns the
         *     exports of the file. If there is no code to return, `getFrontendApp` returns `{ no_frontend: true }` for a plugin
         *     without that file, `{ error }` with the syntax error, or `{ transpiling: true }` while the file is being transpiled.
         *     Requires plugin access level 3.
         */
        get: operations["plugin_configs.frontend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{id}/logs/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get the log of a plugin configuration
         * @description Returns the lines that the plugin wrote to its console, its errors, and messages of the server, newest first. Secret
         *     settings are masked. Filters apply to the newest 10,000 entries; `before` moves them into the past. Requires plugin
         *     access level 3.
         */
        get: operations["plugin_configs.logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{id}/metrics/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Get the metrics of a plugin configuration
         * @description Returns counts and times per hour and kind of call, oldest hour first. Hours without calls are left out. Requires
         *     plugin access level 3.
         */
        get: operations["plugin_configs.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{id}/job/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a job of a plugin
         * @description Starts one of the `public_jobs` of the plugin. The payload is validated against the fields of the job. A job runs
         *     once; its log shows the result. Returns 400 if the configuration is not enabled. Requires plugin access level 3.
         */
        post: operations["plugin_configs.start_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{plugin_config_id}/failed_deliveries/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        /**
         * List failed deliveries
         * @description Returns the events for which `onEvent`, `exportEvents` or `composeWebhook` failed for good, newest first. The latest
         *     1,000 of a configuration are kept for 30 days. Requires plugin access level 3.
         */
        get: operations["plugin_failed_deliveries.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{plugin_config_id}/failed_deliveries/replay/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay all failed deliveries
         * @description Delivers the failed events again soon, the oldest first. At most 1,000 deliveries of a configuration can wait; later ones
         *     are left out. Returns 400 if the configuration is not enabled. Requires plugin access level 3.
         */
        post: operations["plugin_failed_deliveries.replay_all"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{plugin_config_id}/failed_deliveries/{id}/replay/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
                /** @description The id of the failed delivery. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a failed delivery
         * @description Delivers the event again soon, once, to the function that failed for it. After a success the failed delivery is removed.
         *     Otherwise it stays with the new error. Returns 400 if the configuration is not enabled. Requires plugin access level 3.
         */
        post: operations["plugin_failed_deliveries.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        /**
         * List test events
         * @description Returns the saved test events of a plugin configuration, by name. Requires plugin access level 3.
         */
        get: operations["plugin_test_events.list"];
        put?: never;
        /**
         * Save a test event
         * @description Saves an event and the result that is expected of the plugin. A configuration has at most 20 of them. Secret settings in
         *     `expected` are masked. Requires plugin access level 3.
         */
        post: operations["plugin_test_events.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/run/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the test events
         * @description Runs the plugin on every test event of the configuration and compares the results with the expected ones. Each test event
         *     runs alone, with empty storage. Only functions that get events are called. Nothing is stored; requests of the plugin are
         *     sent. If the stored settings include secrets, this requires level 8. Requires plugin access level 3.
         */
        post: operations["plugin_test_events.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
                /** @description The id of the test event. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a test event
         * @description Returns a test event. Requires plugin access level 3.
         */
        get: operations["plugin_test_events.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a test event
         * @description Deletes a test event. Requires plugin access level 3.
         */
        delete: operations["plugin_test_events.delete"];
        options?: never;
        head?: never;
        /**
         * Update a test event
         * @description Updates the fields that are sent. Requires plugin access level 3.
         */
        patch: operations["plugin_test_events.update"];
        trace?: never;
    };
    "/api/projects/{project_id}/events/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List events
         * @deprecated
         * @description Returns the events of the project that match every filter, newest first. Follow `next` until it is null. The pages
         *     neither skip nor repeat events, even while new events arrive.
         *
         *     This operation is deprecated. To move many events, use a batch export. For lookups it stays available; request
         *     only as much as you need.
         *
         *     Parameters that take several values accept JSON text (`event=["a","b"]`), repetition (`event=a&event=b`) and
         *     brackets (`event[]=a&event[]=b`).
         *
         *     `action_id` and `token` return 400 `unsupported_parameter`.
         */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/events/values/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List values of event fields
         * @description For autocompletion. With `key`, returns the values of that property in recent events and their number of
         *     occurrences. Without `key`, returns a sample of every field.
         *
         *     A parameter `properties_<key>`, such as `properties_plan=free` or `properties_plan=["free","team"]`, uses only events
         *     whose property `<key>` equals one of these texts, in any case. With several of them, all must match.
         */
        get: operations["events.values"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/query/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a query
         * @description Answers a HogQL query about the events, persons or sessions of the project. A query that takes too long returns 400
         *     `query_timeout`. Requests count in the rate limit of events.
         */
        post: operations["query.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/events/histogram/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * Count events over time
         * @description Returns the number of matching events per interval. Intervals begin at full minutes, hours, days or weeks (Sunday)
         *     in UTC, and intervals without events are included. The first and the last interval count only events between
         *     `after` and `before`.
         *
         *     Without filters other than `event`, and with intervals of an hour or more, the response comes from stored hourly
         *     counts: it is complete (`exact` is true, `next` is null) and fast for any number of events. Otherwise the server
         *     scans events, newest first, for about a second per request. While `next` is not null, request it for the next
         *     part. Every part has all intervals: add up the counts. After an upgrade, the server counts the existing
         *     events in the background; until then, every request scans.
         */
        get: operations["events.histogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/events/tail/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * Follow new events
         * @description For a live view. Without `cursor`, returns the latest events. With the `cursor` of the previous response, returns the
         *     events that were ingested since then. Events come in the order of ingestion, oldest first, so none is skipped or
         *     repeated, even if it arrives late with an old timestamp. If `more` is true, request the next page immediately.
         *     Otherwise poll after a few seconds; a request without new events is cheap.
         *
         *     A request with filters reads at most 10,000 events. It may return an empty page with `more` set to true.
         */
        get: operations["events.tail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/events/names/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List event names
         * @description For autocompletion. Returns the names of the project's events with their number of events, most frequent first. The
         *     numbers come from hourly counts and are exact (`exact` is true), except in two cases: if the project has more than
         *     500,000 hourly counts in the time range (about 700 names in 30 days), or if its events are still being counted after
         *     an upgrade. Then they cover only the latest events.
         */
        get: operations["events.names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/events/property_names/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List property names
         * @description For autocompletion. Returns the names of the properties in a sample: the latest 5,000 events of the last seven
         *     days, or the persons of these events. `count` is the number of sampled events or persons with the property.
         */
        get: operations["events.property_names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/events/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The event's UUID. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get an event
         * @description Returns an event with its person.
         */
        get: operations["events.retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/persons/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List persons
         * @description Returns the persons of the project, newest first. Follow `next` until it is null. To move many persons, use a batch
         *     export with the model `persons`.
         */
        get: operations["persons.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/persons/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the person. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Get a person
         * @description Returns a person with up to 1,000 of its distinct ids.
         */
        get: operations["persons.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a person
         * @description Deletes a person and its distinct ids. Batch exports of persons deliver each of them once more with `is_deleted`.
         *     Events stay unless `delete_events` is true; those are deleted in the background. A later event with one of the
         *     distinct ids creates a person again. Requires level 8.
         */
        delete: operations["persons.delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capture/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send events in the query string
         * @description For clients that cannot send POST requests. Equivalent to POST with the events in `data`. Without `data`, returns
         *     400 `no_data`.
         */
        get: operations["capture.capture_get"];
        put?: never;
        /**
         * Send events
         * @description Stores an event, an array of events or a batch, and responds after they are durably stored. The body contains the
         *     project token. `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are equivalent.
         *
         *     One invalid event rejects the whole request. There is one exception: an event above 1 MiB, or with more than 64 Ki
         *     characters in `$set`, `$set_once` and `$unset` together, is left out of its batch and listed in `refused`, because SDKs would
         *     retry the whole batch after a 4xx. If it is the only event, the request fails with 400 `event_too_large`.
         *
         *     An event whose `uuid` already exists in the project is not stored again, so requests can be retried safely.
         *
         *     A body has at most 20 MiB before and after decompression, 1,000,000 values and 64 levels. Rejected requests are
         *     rate-limited by client address and then return 429 with `Retry-After`.
         */
        post: operations["capture.capture"];
        delete?: never;
        /**
         * Handle a CORS preflight request
         * @description Browsers send this request before they send events from another origin. The response headers allow every origin.
         */
        options: operations["capture.capture_options"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send events in the query string
         * @description For clients that cannot send POST requests. Equivalent to POST with the events in `data`. Without `data`, returns
         *     400 `no_data`.
         */
        get: operations["capture.batch_get"];
        put?: never;
        /**
         * Send events
         * @description Stores an event, an array of events or a batch, and responds after they are durably stored. The body contains the
         *     project token. `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are equivalent.
         *
         *     One invalid event rejects the whole request. There is one exception: an event above 1 MiB, or with more than 64 Ki
         *     characters in `$set`, `$set_once` and `$unset` together, is left out of its batch and listed in `refused`, because SDKs would
         *     retry the whole batch after a 4xx. If it is the only event, the request fails with 400 `event_too_large`.
         *
         *     An event whose `uuid` already exists in the project is not stored again, so requests can be retried safely.
         *
         *     A body has at most 20 MiB before and after decompression, 1,000,000 values and 64 levels. Rejected requests are
         *     rate-limited by client address and then return 429 with `Retry-After`.
         */
        post: operations["capture.batch"];
        delete?: never;
        /**
         * Handle a CORS preflight request
         * @description Browsers send this request before they send events from another origin. The response headers allow every origin.
         */
        options: operations["capture.batch_options"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/e/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send events in the query string
         * @description For clients that cannot send POST requests. Equivalent to POST with the events in `data`. Without `data`, returns
         *     400 `no_data`.
         */
        get: operations["capture.e_get"];
        put?: never;
        /**
         * Send events
         * @description Stores an event, an array of events or a batch, and responds after they are durably stored. The body contains the
         *     project token. `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are equivalent.
         *
         *     One invalid event rejects the whole request. There is one exception: an event above 1 MiB, or with more than 64 Ki
         *     characters in `$set`, `$set_once` and `$unset` together, is left out of its batch and listed in `refused`, because SDKs would
         *     retry the whole batch after a 4xx. If it is the only event, the request fails with 400 `event_too_large`.
         *
         *     An event whose `uuid` already exists in the project is not stored again, so requests can be retried safely.
         *
         *     A body has at most 20 MiB before and after decompression, 1,000,000 values and 64 levels. Rejected requests are
         *     rate-limited by client address and then return 429 with `Retry-After`.
         */
        post: operations["capture.e"];
        delete?: never;
        /**
         * Handle a CORS preflight request
         * @description Browsers send this request before they send events from another origin. The response headers allow every origin.
         */
        options: operations["capture.e_options"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/i/v0/e/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send events in the query string
         * @description For clients that cannot send POST requests. Equivalent to POST with the events in `data`. Without `data`, returns
         *     400 `no_data`.
         */
        get: operations["capture.i_v0_e_get"];
        put?: never;
        /**
         * Send events
         * @description Stores an event, an array of events or a batch, and responds after they are durably stored. The body contains the
         *     project token. `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are equivalent.
         *
         *     One invalid event rejects the whole request. There is one exception: an event above 1 MiB, or with more than 64 Ki
         *     characters in `$set`, `$set_once` and `$unset` together, is left out of its batch and listed in `refused`, because SDKs would
         *     retry the whole batch after a 4xx. If it is the only event, the request fails with 400 `event_too_large`.
         *
         *     An event whose `uuid` already exists in the project is not stored again, so requests can be retried safely.
         *
         *     A body has at most 20 MiB before and after decompression, 1,000,000 values and 64 levels. Rejected requests are
         *     rate-limited by client address and then return 429 with `Retry-After`.
         */
        post: operations["capture.i_v0_e"];
        delete?: never;
        /**
         * Handle a CORS preflight request
         * @description Browsers send this request before they send events from another origin. The response headers allow every origin.
         */
        options: operations["capture.i_v0_e_options"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/decide/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the settings of a project
         * @description SDKs call this operation before they send events. The body contains the project token, in any format that
         *     `/capture/` accepts. All other fields are ignored, and cookies are never read. There are no feature flags, so the
         *     response is the same for every person. `siteApps` has the scripts of the enabled plugins with a `site.ts`. An unknown
         *     token returns 401. `/decide/` and `/flags/` are equivalent.
         */
        post: operations["capture.decide"];
        delete?: never;
        /**
         * Handle a CORS preflight request
         * @description Browsers send this request before they send events from another origin. The response headers allow every origin.
         */
        options: operations["capture.decide_options"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flags/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the settings of a project
         * @description SDKs call this operation before they send events. The body contains the project token, in any format that
         *     `/capture/` accepts. All other fields are ignored, and cookies are never read. There are no feature flags, so the
         *     response is the same for every person. `siteApps` has the scripts of the enabled plugins with a `site.ts`. An unknown
         *     token returns 401. `/decide/` and `/flags/` are equivalent.
         */
        post: operations["capture.flags"];
        delete?: never;
        /**
         * Handle a CORS preflight request
         * @description Browsers send this request before they send events from another origin. The response headers allow every origin.
         */
        options: operations["capture.flags_options"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/array/{token}/config/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project token. */
                token: string;
            };
            cookie?: never;
        };
        /**
         * Get the settings of a project by its token
         * @description Recent versions of the browser SDK call this operation instead of `/decide/`. The response is the same. An unknown
         *     token returns 401.
         */
        get: operations["capture.array_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/site_app/{plugin_config_id}/{web_token}/{hash}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the configuration. */
                plugin_config_id: string;
                /** @description The token of the configuration. Only `siteApps` of `/decide/` contains it. */
                web_token: string;
                /** @description Changes with the script, so that browsers can cache the response. Any text is accepted. */
                hash: string;
            };
            cookie?: never;
        };
        /**
         * Get the script of a site app
         * @description Returns the transpiled `site.ts` of a plugin with the settings of one configuration, for a script element in any
         *     page. The script calls `inject` with the settings whose field in `config_schema` has `site: true`, without secrets,
         *     and with the SDK. The URL is in `siteApps` of `/decide/`. Responses to it can be cached for good; with another
         *     `hash`, the response is not cached.
         *
         *     An unknown id, a wrong token, a disabled configuration and a plugin without a valid `site.ts` return 404
         *     `missing_site_app_source`.
         */
        get: operations["capture.site_app"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/instance_status/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of the installation
         * @description Returns the version, the database, the queues and the last backup of the installation. Requires level 15 in the first
         *     organization of the installation; otherwise the response is 403.
         */
        get: operations["instance.status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_preflight/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the configured sign-in methods
         * @description Returns the sign-in methods that the operator has configured. Requires no credentials.
         */
        get: operations["service.preflight"];
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
        /**
         * Check liveness
         * @description Returns 200 while the process can respond. Restart the process if this check fails.
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
         * Check readiness
         * @description Checks the database connection. Fails from the start of a shutdown. Do not route traffic to the server while this
         *     check fails.
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
         * Get metrics
         * @description Returns requests by operation and status, latency, event-loop lag and database time. Available to clients on
         *     loopback, and to clients that send `Authorization: Bearer <token>` if the operator sets `METRICS_TOKEN`.
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
         * Get the OpenAPI document
         * @description Returns this specification as one JSON document. Use it to generate clients. Clients and proxies may cache it for five
         *     minutes. After that, send the `ETag` as `If-None-Match`. The response is compressed if `Accept-Encoding` has `br` or `gzip`.
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
         * Get the API reference
         * @description Returns an HTML page with the API reference. It loads nothing from other hosts. Without scripts it lists the operations.
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
    "/docs/reference.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the script of the API reference
         * @description Returns the script that `/docs` loads. The server includes it, so the page works offline. The response is compressed if
         *     `Accept-Encoding` has `br` or `gzip`, and 304 if `If-None-Match` has its `ETag`.
         */
        get: operations["service.docs_script"];
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
         * @description The absolute URL of the next or previous page. Null if there is none.
         */
        PageUrl: string | null;
        /**
         * Team
         * @description A project in an organization.
         */
        Team: {
            id: number;
            /** Format: uuid */
            uuid: string;
            /**
             * Format: uuid
             * @description The id of the organization.
             */
            organization: string;
            /** @description The project token for `/capture/` and `/batch/`. It is public: it can only be used to send events. */
            api_token: string;
            name: string;
            /** @description Always false. There is no onboarding. */
            completed_snippet_onboarding: boolean;
            /** @description Always null. There is no onboarding. */
            has_completed_onboarding_for: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the project has received an event. */
            ingested_event: boolean;
            /** @description Always false. */
            is_demo: boolean;
            timezone: string;
            /** @description Always false. Every member can access every project. */
            access_control: boolean;
        };
        /**
         * Organization
         * @description An organization is a tenant. Every other resource belongs to an organization.
         */
        Organization: {
            /** Format: uuid */
            id: string;
            /** @description The name of the organization. Names need not be unique. */
            name: string;
            /** @description A unique name for URLs. It is derived from the name at creation and never changes. */
            slug: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The caller's level: 1 (member), 8 (administrator) or 15 (owner). */
            membership_level: (1 | 8 | 15) | null;
            /**
             * @description The plugin access of the organization: 0 (none), 3 (configure), 6 (install) or 9 (share with all organizations).
             * @enum {integer}
             */
            plugins_access_level: 0 | 3 | 6 | 9;
            /** @description The organization's projects, oldest first. */
            teams: components["schemas"]["Team"][];
            /** @description Always empty. There are no paid features. */
            available_product_features: {
                [key: string]: unknown;
            }[];
            /** @description Whether members receive an email when a user joins. */
            is_member_join_email_enabled: boolean;
            /** @description A JSON object with the key `instance_tag`, as text. */
            metadata: string;
            /** @description Always null. There is no billing. */
            customer_id: string | null;
            /** @description Whether sessions need a second factor in this organization. Null and false mean no. */
            enforce_2fa: boolean | null;
            /** @description The number of active members, as a decimal string. */
            member_count: string;
        };
        /**
         * OrganizationPage
         * @description One page of organizations.
         */
        OrganizationPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Organization"][];
        };
        /**
         * Error
         * @description The body of every error. It reports only the first problem.
         */
        Error: {
            /**
             * @description The category of the error.
             * @enum {string}
             */
            type: "validation_error" | "invalid_request" | "authentication_error" | "throttled_error" | "server_error";
            /** @description A machine-readable error code. */
            code: string;
            /** @description A message that explains the error and how to resolve it. */
            detail: string;
            /**
             * @description The field that caused the error, with nested names joined by two underscores. Null if the error is not about a
             *     field.
             */
            attr: string | null;
            /** @description Where the error is in the text of a HogQL query. Only in errors of HogQL. */
            position?: {
                /** @description Counted from 1. */
                line: number;
                /** @description Counted from 1, in UTF-16 code units. */
                column: number;
            };
        };
        /**
         * OrganizationWrite
         * @description The writable fields of an organization.
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
        OrganizationCreate: {
            name: string;
            is_member_join_email_enabled?: boolean;
            enforce_2fa?: boolean | null;
        };
        /**
         * Project
         * @description A project receives events. Senders authenticate with its token.
         */
        Project: {
            id: number;
            /** Format: uuid */
            uuid: string;
            /**
             * Format: uuid
             * @description The id of the organization.
             */
            organization: string;
            /** @description The project token for `/capture/` and `/batch/`. It is public: it can only be used to send events. */
            api_token: string;
            name: string;
            /** @description Always `UTC`. */
            timezone: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The number of days to retain events. Older events are deleted in the background. Null to retain them forever. */
            event_retention_days: number | null;
        };
        /**
         * ProjectPage
         * @description One page of projects.
         */
        ProjectPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Project"][];
        };
        /**
         * ProjectWrite
         * @description The writable fields of a project.
         */
        ProjectWrite: {
            name?: string;
            /**
             * @description Only `UTC` is supported. Times are stored and returned in UTC.
             * @enum {string}
             */
            timezone?: "UTC";
            /** @description The number of days to retain events. Older events are deleted in the background. Null to retain them forever. */
            event_retention_days?: number | null;
        };
        /**
         * ProjectCreate
         * @description A new project.
         */
        ProjectCreate: {
            name: string;
            /**
             * @description Only `UTC` is supported. Times are stored and returned in UTC.
             * @enum {string}
             */
            timezone?: "UTC";
            /** @description The number of days to retain events. Older events are deleted in the background. Null to retain them forever. */
            event_retention_days?: number | null;
            /** @description The id of the organization of the new project. The caller's current organization by default. */
            organization?: string;
        };
        /**
         * OrganizationProjectCreate
         * @description A new project in the organization of the path.
         */
        OrganizationProjectCreate: {
            name: string;
            /**
             * @description Only `UTC` is supported. Times are stored and returned in UTC.
             * @enum {string}
             */
            timezone?: "UTC";
            /** @description The number of days to retain events. Older events are deleted in the background. Null to retain them forever. */
            event_retention_days?: number | null;
        };
        /**
         * User
         * @description A user.
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
            /** @description True after the user verified the address with a token sent to it. Null if no verification was requested. */
            is_email_verified: boolean | null;
            hedgehog_config: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Member
         * @description A member of an organization.
         */
        Member: {
            /**
             * Format: uuid
             * @description The id of the membership. Paths use the user's `uuid` instead.
             */
            id: string;
            user: components["schemas"]["User"];
            /**
             * @description 1 (member), 8 (administrator) or 15 (owner).
             * @enum {integer}
             */
            level: 1 | 8 | 15;
            /** Format: date-time */
            joined_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Whether the user has two-factor authentication. */
            is_2fa_enabled: boolean;
            /** @description Whether the user has signed in with a single sign-on provider. */
            has_social_auth: boolean;
        };
        /**
         * MemberPage
         * @description One page of members.
         */
        MemberPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Member"][];
        };
        /**
         * MemberWrite
         * @description The writable fields of a member.
         */
        MemberWrite: {
            /**
             * @description 1 (member), 8 (administrator) or 15 (owner).
             * @enum {integer}
             */
            level?: 1 | 8 | 15;
        };
        /**
         * Invite
         * @description An invitation to join an organization. Accepting it requires the token from its link.
         */
        Invite: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            target_email: string;
            /** @description Empty if it is not set. */
            first_name: string;
            /**
             * @description Whether the server tried to send an email. False if email is not configured. True does not mean that the email was
             *     delivered.
             */
            emailing_attempt_made: boolean;
            /**
             * @description The level of the new member: 1 (member), 8 (administrator) or 15 (owner).
             * @enum {integer}
             */
            level: 1 | 8 | 15;
            /** @description Whether the invite has expired. Invites expire after three days. */
            is_expired: boolean;
            /** @description The user who created the invite. Null if the account was deleted. */
            created_by: components["schemas"]["User"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The message in the email. Null if there is none. */
            message: string | null;
        };
        /**
         * InvitePage
         * @description One page of invites.
         */
        InvitePage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Invite"][];
        };
        /**
         * InviteCreate
         * @description A new invite.
         */
        InviteCreate: {
            /**
             * Format: email
             * @description The email address of the recipient. Case-insensitive.
             */
            target_email: string;
            /** @description The first name to use in the email. Empty by default. */
            first_name?: string;
            /**
             * @description The level of the new member: 1 (member), 8 (administrator) or 15 (owner). At most the caller's own level. 1 by
             *     default.
             * @enum {integer}
             */
            level?: 1 | 8 | 15;
            /** @description A message to include in the email. */
            message?: string | null;
        };
        /**
         * InviteCreated
         * @description A new invite. If email is not configured, it includes the signup token, which is never returned again.
         */
        InviteCreated: {
            /** @description The `token` for the signup operations. Absent if email is configured, because the email contains it. */
            signup_token?: string;
        } & components["schemas"]["Invite"];
        /**
         * InviteBulk
         * @description One invite, or an array of invites.
         */
        InviteBulk: components["schemas"]["InviteCreate"] | components["schemas"]["InviteCreate"][];
        /**
         * InviteBulkCreated
         * @description One invite, or an array of invites in the order of the request.
         */
        InviteBulkCreated: components["schemas"]["InviteCreated"] | components["schemas"]["InviteCreated"][];
        /**
         * SsoProvider
         * @description A login provider.
         * @enum {string}
         */
        SsoProvider: "google-oauth2" | "github" | "gitlab" | "saml";
        /**
         * Domain
         * @description A login domain.
         */
        Domain: {
            /** Format: uuid */
            id: string;
            /** @description The domain name. It cannot be changed. */
            domain: string;
            /** @description Whether the domain is verified. A verification does not expire. */
            is_verified: boolean;
            /**
             * Format: date-time
             * @description When the domain was verified. Null if it is not verified.
             */
            verified_at: string | null;
            /** @description The name of the TXT record, `_workspace-challenge.<domain>` unless the operator changed the label. */
            verification_record_name: string;
            /** @description The value of the TXT record to publish at `verification_record_name`. It is set at creation and cannot be changed. */
            verification_challenge: string;
            /**
             * @description Whether users with an address in this domain join the organization at their first single sign-on, with level 1 or
             *     the level of a pending invite.
             */
            jit_provisioning_enabled: boolean;
            /** @description The only provider that users with an address in this domain can sign in with, or empty for no restriction. */
            sso_enforcement: components["schemas"]["SsoProvider"] | "";
            /**
             * @description Why the enforced provider cannot sign anyone in, and what to do: its settings were removed. Until then owners may sign
             *     in with their password, and nobody else can. Null if it works, or if none is enforced.
             */
            sso_enforcement_problem: string | null;
            /** @description Whether all three SAML fields are set. */
            has_saml: boolean;
            /** @description The entity id of the identity provider, the issuer of its assertions. */
            saml_entity_id: string | null;
            /** @description The sign-on URL of the identity provider, for requests by redirect. */
            saml_acs_url: string | null;
            /** @description The certificate that the identity provider signs with. */
            saml_x509_cert: string | null;
        };
        /**
         * DomainPage
         * @description One page of domains.
         */
        DomainPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Domain"][];
        };
        /**
         * DomainWrite
         * @description The writable fields of a domain.
         */
        DomainWrite: {
            /**
             * @description The domain name in lower case, without internationalized labels. Used at creation, ignored in updates.
             * @example hedgerow.example
             */
            domain?: string;
            /** @description Requires a verified domain. */
            jit_provisioning_enabled?: boolean;
            /**
             * @description The only provider that users with an address in this domain can sign in with, or empty for no restriction. Requires
             *     a verified domain and a configured provider; `saml` requires the three SAML fields. Setting it ends the password
             *     sessions of these users.
             */
            sso_enforcement?: components["schemas"]["SsoProvider"] | "";
            /** @description The entity id of the identity provider, the issuer of its assertions. */
            saml_entity_id?: string | null;
            /** @description The sign-on URL of the identity provider. It is not validated until SAML is enforced. */
            saml_acs_url?: string | null;
            /** @description The certificate of the identity provider with an RSA key, as PEM or as base64 of DER. */
            saml_x509_cert?: string | null;
        };
        /**
         * DomainCreate
         * @description A new domain.
         */
        DomainCreate: {
            /**
             * @description The domain name in lower case, without internationalized labels. Used at creation, ignored in updates.
             * @example hedgerow.example
             */
            domain: string;
            /** @description Requires a verified domain. */
            jit_provisioning_enabled?: boolean;
            /**
             * @description The only provider that users with an address in this domain can sign in with, or empty for no restriction. Requires
             *     a verified domain and a configured provider; `saml` requires the three SAML fields. Setting it ends the password
             *     sessions of these users.
             */
            sso_enforcement?: components["schemas"]["SsoProvider"] | "";
            /** @description The entity id of the identity provider, the issuer of its assertions. */
            saml_entity_id?: string | null;
            /** @description The sign-on URL of the identity provider. It is not validated until SAML is enforced. */
            saml_acs_url?: string | null;
            /** @description The certificate of the identity provider with an RSA key, as PEM or as base64 of DER. */
            saml_x509_cert?: string | null;
        };
        /**
         * DomainVerified
         * @description A domain after an attempt to verify it.
         */
        DomainVerified: {
            /** @description The TXT records found in DNS, at most 10, each cut to 255 characters. Empty if there are none or if DNS failed. */
            found_records: string[];
        } & components["schemas"]["Domain"];
        /**
         * AlertTrigger
         * @description - `failure`: a run failed after its retries. One message until a later run completes.
         *     - `recovery`: a run completed after a failure, or the export has caught up after a `lag`.
         *     - `pause`: the server paused the export because too many of its runs failed.
         *     - `lag`: a window ended more than `lag_minutes` ago and is not delivered yet. One message until the export has caught up.
         * @enum {string}
         */
        AlertTrigger: "failure" | "recovery" | "pause" | "lag";
        /**
         * AlertChannel
         * @description How the messages of an alert are sent. Required at creation; it cannot be changed.
         * @enum {string}
         */
        AlertChannel: "email" | "webhook";
        /**
         * Alert
         * @description Sends messages when batch exports of the organization fail, recover, are paused or fall behind.
         */
        Alert: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Whether the alert sends messages. */
            enabled: boolean;
            /** @description The events that send a message. */
            triggers: components["schemas"]["AlertTrigger"][];
            /** @description The threshold of the trigger `lag`. */
            lag_minutes: number;
            /** @description The project that the alert is restricted to. Null for all projects of the organization. */
            team_id: number | null;
            /**
             * Format: uuid
             * @description The batch export that the alert is restricted to. Null for all exports.
             */
            batch_export_id: string | null;
            channel: components["schemas"]["AlertChannel"];
            /** @description The current addresses of the members who get the messages. Empty for a webhook. */
            emails: string[];
            /** @description The address of the webhook. Null for the channel `email`. */
            url: string | null;
            /**
             * @description The secret that signs the requests of the webhook. Returned only when the alert is created or its URL changes; null
             *     otherwise.
             */
            secret: string | null;
            /**
             * Format: date-time
             * @description When the last message was enqueued. Null if there was none.
             */
            last_triggered_at: string | null;
            /** @description Why the last attempt to send a message failed, or why none can be sent. Null if there is no problem. */
            latest_error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * AlertPage
         * @description One page of alerts.
         */
        AlertPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Alert"][];
        };
        /**
         * AlertWrite
         * @description The writable fields of an alert.
         */
        AlertWrite: {
            name?: string;
            /** @description Whether the alert sends messages. True by default. */
            enabled?: boolean;
            /** @description The events that send a message. */
            triggers?: components["schemas"]["AlertTrigger"][];
            /** @description The threshold of the trigger `lag`, up to a week. 60 by default. */
            lag_minutes?: number;
            /** @description Restricts the alert to a project. The alert is deleted with the project. */
            team_id?: number | null;
            /** @description Restricts the alert to a batch export. The alert is deleted with the export. */
            batch_export_id?: string | null;
            channel?: components["schemas"]["AlertChannel"];
            /** @description Addresses of members, for the channel `email`. Members who leave the organization get no messages. */
            emails?: string[];
            /**
             * @description The address of the webhook, for the channel `webhook`. `http` is only possible for addresses that the operator allows
             *     with `OUTBOUND_ALLOW`.
             */
            url?: string | null;
        };
        /**
         * AlertCreate
         * @description A new alert.
         */
        AlertCreate: {
            name: string;
            /** @description Whether the alert sends messages. True by default. */
            enabled?: boolean;
            /** @description The events that send a message. */
            triggers: components["schemas"]["AlertTrigger"][];
            /** @description The threshold of the trigger `lag`, up to a week. 60 by default. */
            lag_minutes?: number;
            /** @description Restricts the alert to a project. The alert is deleted with the project. */
            team_id?: number | null;
            /** @description Restricts the alert to a batch export. The alert is deleted with the export. */
            batch_export_id?: string | null;
            channel: components["schemas"]["AlertChannel"];
            /** @description Addresses of members, for the channel `email`. Members who leave the organization get no messages. */
            emails?: string[];
            /**
             * @description The address of the webhook, for the channel `webhook`. `http` is only possible for addresses that the operator allows
             *     with `OUTBOUND_ALLOW`.
             */
            url?: string | null;
        };
        /**
         * AlertTest
         * @description The result of a test message.
         */
        AlertTest: {
            /** @description Whether the receiver accepted the request, or the emails are enqueued. */
            sent: boolean;
            /** @description What happened, and what to do if nothing was sent. It never contains text from the receiver. */
            detail: string;
        };
        /**
         * ActivityUser
         * @description A user, with the name at the time of the activity.
         */
        ActivityUser: {
            /** Format: uuid */
            uuid: string;
            email: string;
            first_name: string;
        };
        /**
         * ActivityChange
         * @description One changed field.
         */
        ActivityChange: {
            field: string;
            /** @description The value before the change. Null if there was none. For secrets, both values are `changed`. */
            before: unknown;
            /** @description The value after the change. Null if there is none. */
            after: unknown;
        };
        /**
         * Activity
         * @description One entry of the activity log.
         */
        Activity: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /**
             * @description The kind of actor. `operator` is a command that was run on the server, `system` is the server itself.
             * @enum {string}
             */
            actor: "user" | "operator" | "system";
            /** @description The acting user, with the name at that time. Null for other actors. */
            user: components["schemas"]["ActivityUser"] | null;
            api_key_id: string | null;
            session_id: string | null;
            /** @description The client address. Null for other actors. */
            address: string | null;
            /** @description The kind of item, such as `members` or `sessions`. */
            area: string;
            /** @description The kind of activity, such as `created`, `updated`, `deleted`, `signed_in` or `sign_in_failed`. */
            activity: string;
            item_id: string | null;
            /** @description The item's name at that time. */
            item_name: string | null;
            /** @description The project of the item. Null for items of the organization. */
            project_id: number | null;
            /** @description The fields that changed. The values of secrets are omitted. */
            changes: components["schemas"]["ActivityChange"][];
        };
        /**
         * ActivityPage
         * @description One page of the activity log.
         */
        ActivityPage: {
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Activity"][];
        };
        /**
         * OrganizationRef
         * @description A reference to an organization.
         */
        OrganizationRef: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            /**
             * @description The caller's level in the organization.
             * @enum {integer}
             */
            membership_level: 1 | 8 | 15;
        };
        /**
         * TeamRef
         * @description A reference to a project.
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
         * @description The user that the API key belongs to, with the current organization and project.
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
            /** @description The organization that `@current` refers to. Null if the user does not belong to an organization. */
            organization: components["schemas"]["OrganizationRef"] | null;
            /** @description The project that `@current` refers to. Null if there is none, or if it needs a second factor that the session lacks. */
            team: components["schemas"]["TeamRef"] | null;
            /** @description A new email address that is not verified yet. */
            pending_email: string | null;
            has_password: boolean;
            /** @description Whether the user has signed in with a single sign-on provider. */
            has_social_auth: boolean;
            is_2fa_enabled: boolean;
            /** @description The value of the header `X-CSRF-Token` for requests with this session. Null with a key. */
            csrf_token: string | null;
            /**
             * Format: date-time
             * @description After this time, sensitive operations require a new sign-in. Null with a key.
             */
            reauthenticate_by: string | null;
        };
        /**
         * MeWrite
         * @description The fields that users can change on their own account.
         */
        MeWrite: {
            first_name?: string;
            last_name?: string;
            /**
             * @description The id of an organization that the user belongs to. It becomes the current organization, and its oldest project
             *     becomes the current project unless `set_current_team` is sent too.
             */
            set_current_organization?: string;
            /**
             * @description The id of a project that the user can access. It becomes the current project, and its organization becomes the
             *     current organization.
             */
            set_current_team?: number;
            /**
             * Format: email
             * @description A new email address. It takes effect when the link emailed to it is opened, or immediately if the server does not send
             *     email.
             */
            email?: string;
            /** @description A new password, 8 to 256 characters. An account with a password also needs `current_password`. */
            password?: string;
            current_password?: string;
        };
        /**
         * EmailVerification
         * @description The token from an emailed link.
         */
        EmailVerification: {
            uuid: string;
            token: string;
        };
        /**
         * Success
         * @description The operation succeeded.
         */
        Success: {
            /** @constant */
            success: true;
        };
        /**
         * TwoFactorStatus
         * @description The caller's two-factor status.
         */
        TwoFactorStatus: {
            is_enabled: boolean;
            /** @description The number of remaining backup codes. */
            backup_codes: number;
            /** @description `TOTP`, or null when it is off. */
            method: string | null;
        };
        /**
         * TwoFactorSetup
         * @description A secret for an authenticator app.
         */
        TwoFactorSetup: {
            /** @description The secret in base32, for manual entry. */
            secret: string;
            otpauth_url: string;
            /** @description The URL as a QR code, an SVG image. */
            qr_code_svg: string;
        };
        /**
         * SecondFactor
         * @description A code from an authenticator app, or a backup code.
         */
        SecondFactor: {
            token: string;
        };
        /**
         * BackupCodes
         * @description Ten backup codes. Each can be used once instead of a code from the authenticator app.
         */
        BackupCodes: {
            /** @constant */
            success: true;
            backup_codes: string[];
        };
        /**
         * TwoFactorProof
         * @description The password or a code. One of them is required, unless the account has no password and the session is from a single
         *     sign-on provider.
         */
        TwoFactorProof: {
            password?: string;
            token?: string;
        };
        /**
         * Session
         * @description A signed-in browser.
         */
        Session: {
            /** Format: uuid */
            id: string;
            /** @description Whether this is the session of the request. */
            is_current: boolean;
            /** @description How the user signed in, such as `password`, `link`, `saml` or the name of a provider. */
            method: string;
            /** @description Whether the sign-in was confirmed by a second factor. */
            second_factor: boolean;
            /** @description The client address of the sign-in. */
            address: string;
            user_agent: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
            /**
             * Format: date-time
             * @description When the session expires. It ends earlier if it is not used.
             */
            expires_at: string;
        };
        /**
         * SessionPage
         * @description One page of sessions.
         */
        SessionPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Session"][];
        };
        /**
         * SessionPrecheck
         * @description The email address to sign in with.
         */
        SessionPrecheck: {
            /** Format: email */
            email: string;
        };
        /**
         * SessionPrecheckResult
         * @description The sign-in methods of an email address.
         */
        SessionPrecheckResult: {
            /** @description The provider that the domain enforces. Null if there is none. */
            sso_enforcement: components["schemas"]["SsoProvider"] | null;
            /**
             * @description Whether the enforced provider can sign users in. False if it is no longer set up: then owners of the organization may
             *     sign in with their password, and everybody else asks one of them. False without an enforced provider.
             */
            sso_available: boolean;
            /** @description Whether the domain has SAML. */
            saml_available: boolean;
        };
        /**
         * SessionCreate
         * @description An email address and its password.
         */
        SessionCreate: {
            /** Format: email */
            email: string;
            password: string;
        };
        /**
         * LinkSignIn
         * @description The token of a one-time sign-in link.
         */
        LinkSignIn: {
            /** @description The part of the link after `#`. */
            token: string;
        };
        /**
         * PasswordResetRequest
         * @description The address of the account.
         */
        PasswordResetRequest: {
            /** Format: email */
            email: string;
        };
        /**
         * PasswordReset
         * @description A new password, with the token from the emailed link.
         */
        PasswordReset: {
            token: string;
            password: string;
        };
        /**
         * PasswordResetResult
         * @description The account whose password was set.
         */
        PasswordResetResult: {
            /** @constant */
            success: true;
            /** Format: email */
            email: string;
        };
        /**
         * Scope
         * @description A scope of an API key. A `:write` scope includes the matching `:read` scope. `*` includes every scope.
         * @enum {string}
         */
        Scope: "*" | "organization:read" | "organization:write" | "organization_member:read" | "organization_member:write" | "batch_export:read" | "batch_export:write" | "plugin:read" | "plugin:write" | "query:read";
        /**
         * ApiKey
         * @description A personal API key.
         */
        ApiKey: {
            id: string;
            label: string;
            /** @description The key itself. Returned only when the key is created or rolled; null otherwise. */
            value: string | null;
            /** @description The first four and last four characters of the key. */
            mask_value: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to the hour. Null if it was never used.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When the key expires. Null if it never expires.
             */
            expires_at: string | null;
            user_id: number;
            /** @description The scopes of the key. `*` includes every scope. */
            scopes: components["schemas"]["Scope"][];
            /** @description The projects that the key is restricted to. Empty if it is not restricted. */
            scoped_teams: number[];
            /** @description The organizations that the key is restricted to. Empty if it is not restricted. */
            scoped_organizations: string[];
        };
        /**
         * ApiKeyWrite
         * @description The writable fields of a key. A key cannot grant more access or a later expiry than its own.
         */
        ApiKeyWrite: {
            label?: string;
            /** @description At least one scope. */
            scopes?: components["schemas"]["Scope"][];
            /** @description Restrict the key to these projects. The key then works only on project paths. Empty for no restriction. */
            scoped_teams?: number[];
            /** @description Restrict the key to these organizations. Empty for no restriction. */
            scoped_organizations?: string[];
            /** @description When the key expires. Null for never. */
            expires_at?: string | null;
        };
        /**
         * ApiKeyCreate
         * @description A new key. It cannot have more access or a later expiry than the key that creates it.
         */
        ApiKeyCreate: {
            label: string;
            /** @description At least one scope. */
            scopes: components["schemas"]["Scope"][];
            /** @description Restrict the key to these projects. The key then works only on project paths. Empty for no restriction. */
            scoped_teams?: number[];
            /** @description Restrict the key to these organizations. Empty for no restriction. */
            scoped_organizations?: string[];
            /** @description When the key expires. Null for never. */
            expires_at?: string | null;
        };
        /**
         * SignupInvite
         * @description An invite, as shown to the holder of its link.
         */
        SignupInvite: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            target_email: string;
            first_name: string;
            organization_name: string;
            /** @description The message of the inviter. Null if there is none. */
            message: string | null;
            /** @description The name of the inviter. Null if the inviter is not known. */
            created_by_name: string | null;
            /**
             * @description Whether accepting the invite without an API key disables an existing account that never verified this address.
             *     Nothing is transferred from that account. To keep the account, accept the invite with its API key.
             */
            supersedes_account: boolean;
        };
        /**
         * SignupAccept
         * @description The data to accept an invite.
         */
        SignupAccept: {
            /** @description The token from the invite link. */
            token: string;
            /** @description The first name of a new user. The invite's first name by default. Ignored for existing users. */
            first_name?: string;
            last_name?: string;
            /** @description The password of a new user, 8 to 256 characters. The response then sets the cookies of a session, and `api_key` is null. */
            password?: string;
        };
        /**
         * SignupAccepted
         * @description The user who joined. A new user receives a first API key, which is never returned again.
         */
        SignupAccepted: {
            user: components["schemas"]["User"];
            /** Format: uuid */
            organization_id: string;
            /** @description The first API key of a new user, with all scopes. Null for an existing user. */
            api_key: string | null;
        };
        /**
         * IntegrationKind
         * @description The type of destination that an integration has the credentials for.
         * @enum {string}
         */
        IntegrationKind: "S3" | "AwsS3" | "S3Compatible" | "AzureBlob" | "Postgres" | "Redshift" | "ClickHouse" | "BigQuery" | "Snowflake" | "HTTP";
        /**
         * Integration
         * @description Stored credentials that several batch exports of an organization can use.
         */
        Integration: {
            /** Format: uuid */
            id: string;
            /**
             * @description The number of the integration, for clients that refer to it by an integer (`integration_id`). It is unique on this
             *     server and never used again.
             */
            number: number;
            /** @description The name of the integration. Names need not be unique. */
            name: string;
            kind: components["schemas"]["IntegrationKind"];
            /** @description The keys of `<kind>Credentials` that are not secret. */
            config: {
                [key: string]: unknown;
            };
            /** @description The number of batch exports that use the integration. */
            batch_exports_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_updated_at: string;
            /**
             * Format: date-time
             * @description When a secret last changed.
             */
            secrets_changed_at: string;
        };
        /**
         * IntegrationPage
         * @description One page of integrations.
         */
        IntegrationPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Integration"][];
        };
        /**
         * IntegrationCreate
         * @description New credentials.
         */
        IntegrationCreate: {
            name: string;
            kind: components["schemas"]["IntegrationKind"];
            /**
             * @description The secrets and the keys that decide where they are sent, validated against the schema `<kind>Credentials`. An unknown,
             *     missing or invalid key is rejected, and the error names it.
             */
            config: components["schemas"]["S3Credentials"] | components["schemas"]["AwsS3Credentials"] | components["schemas"]["S3CompatibleCredentials"] | components["schemas"]["AzureBlobCredentials"] | components["schemas"]["PostgresCredentials"] | components["schemas"]["RedshiftCredentials"] | components["schemas"]["ClickHouseCredentials"] | components["schemas"]["BigQueryCredentials"] | components["schemas"]["SnowflakeCredentials"] | components["schemas"]["HTTPCredentials"];
        };
        /**
         * IntegrationWrite
         * @description Changes to credentials. The kind cannot be changed.
         */
        IntegrationWrite: {
            name?: string;
            /**
             * @description The keys of `<kind>Credentials` to change. They are merged into the stored config. Stored secrets are kept, unless a
             *     change sends them to a different receiver.
             */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * IntegrationTest
         * @description The settings of an export to test the credentials with.
         */
        IntegrationTest: {
            /**
             * @description The settings that an export with these credentials has, such as the database. Every setting has its default if it is
             *     absent.
             */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * DestinationTest
         * @description The result of a destination test, step by step.
         */
        DestinationTest: {
            /** @description False if a step failed. */
            passed: boolean;
            /** @description The steps in order. The steps after a failure are skipped. */
            steps: {
                /** @description The name of the step. */
                name: string;
                /** @enum {string} */
                status: "passed" | "failed" | "skipped";
                /** @description The result of the step. It never contains text from the destination. */
                detail: string;
                /**
                 * @description The setting that a failed step asks to check, as `attr` of an error names it. Null if there is none. It is
                 *     the first one if the step asks to check several.
                 */
                attr: string | null;
            }[];
        };
        /**
         * BatchExportModel
         * @description The rows of a batch export. `events`: every event once. `persons`: every distinct id of a person that changed, with the
         *     current state of the person. `sessions`: every session (`$session_id` of events) of which no event has arrived for 30
         *     minutes, and again if it goes on.
         * @enum {string}
         */
        BatchExportModel: "events" | "persons" | "sessions";
        /**
         * FileFormat
         * @description JSON lines or Apache Parquet. `JSONLines` by default.
         * @enum {string}
         */
        FileFormat: "JSONLines" | "Parquet";
        /**
         * FileCompression
         * @description The compression of files. JSON lines support `gzip` and `brotli`. Parquet supports all five.
         * @enum {string}
         */
        FileCompression: "gzip" | "brotli" | "zstd" | "lz4" | "snappy";
        /**
         * S3Settings
         * @description A bucket on Amazon S3 or a compatible store, without secrets.
         */
        S3Settings: {
            bucket_name: string;
            /** @description The region, for example `us-east-1`. */
            region: string;
            /**
             * @description The prefix of object keys. It may contain the variables `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}` and
             *     `{second}` of the window's end, and `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Null or absent for no compression. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description The maximum size of a file in megabytes. A manifest lists all files of the run. 0, null or absent for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description The server-side encryption of the objects. Null or absent for the bucket's default. */
            encryption?: ("AES256" | "aws:kms") | null;
            /** @description The KMS key. Required for `aws:kms`, ignored otherwise. */
            kms_key_id?: string | null;
            /**
             * Format: uri
             * @description The URL of a compatible store. Null or absent for Amazon S3 in `region`.
             */
            endpoint_url?: string | null;
            /** @description Whether the bucket name is part of the host name instead of the path. False by default. */
            use_virtual_style_addressing?: boolean;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * DestinationIntegration
         * Format: uuid
         * @description The id of the integration with the credentials of the destination. Null if the export has its own. The settings of the
         *     integration, except its secrets, are part of `config`.
         */
        DestinationIntegration: string | null;
        /**
         * S3Destination
         * @description A destination of the type `S3`, without secrets.
         */
        S3Destination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "S3";
            config: components["schemas"]["S3Settings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * AwsS3Settings
         * @description A bucket on Amazon S3, without secrets.
         */
        AwsS3Settings: {
            bucket_name: string;
            /** @description The region, for example `us-east-1`. */
            region: string;
            /**
             * @description The prefix of object keys. It may contain the variables `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}` and
             *     `{second}` of the window's end, and `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Null or absent for no compression. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description The maximum size of a file in megabytes. A manifest lists all files of the run. 0, null or absent for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description The server-side encryption of the objects. Null or absent for the bucket's default. */
            encryption?: ("AES256" | "aws:kms") | null;
            /** @description The KMS key. Required for `aws:kms`, ignored otherwise. */
            kms_key_id?: string | null;
            /** @description Whether the bucket name is part of the host name instead of the path. False by default. */
            use_virtual_style_addressing?: boolean;
            /**
             * @description Whether to use the role of the server's machine instead of an access key. Only for buckets that the operator lists
             *     in `S3_ROLE_BUCKETS`. False by default.
             */
            use_default_credentials?: boolean;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * AwsS3Destination
         * @description A destination of the type `AwsS3`, without secrets.
         */
        AwsS3Destination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "AwsS3";
            config: components["schemas"]["AwsS3Settings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * S3CompatibleSettings
         * @description A bucket on a store that is compatible with Amazon S3, without secrets.
         */
        S3CompatibleSettings: {
            bucket_name: string;
            /** @description The region, for example `us-east-1` or `auto`. */
            region: string;
            /**
             * @description The prefix of object keys. It may contain the variables `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}` and
             *     `{second}` of the window's end, and `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Null or absent for no compression. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description The maximum size of a file in megabytes. A manifest lists all files of the run. 0, null or absent for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /**
             * Format: uri
             * @description The URL of the store.
             */
            endpoint_url: string;
            /** @description Whether the bucket name is part of the host name instead of the path. False by default. */
            use_virtual_style_addressing?: boolean;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * S3CompatibleDestination
         * @description A destination of the type `S3Compatible`, without secrets.
         */
        S3CompatibleDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "S3Compatible";
            config: components["schemas"]["S3CompatibleSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * AzureBlobSettings
         * @description A container in Azure Blob Storage, without secrets.
         */
        AzureBlobSettings: {
            container_name: string;
            /**
             * @description The prefix of blob names. Empty by default. It may contain the variables `{year}`, `{month}`, `{day}`, `{hour}`,
             *     `{minute}` and `{second}` of the window's end, and `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix?: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Null or absent for no compression. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description The maximum size of a file in megabytes. A manifest lists all files of the run. 0, null or absent for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * AzureBlobDestination
         * @description A destination of the type `AzureBlob`, without secrets.
         */
        AzureBlobDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "AzureBlob";
            config: components["schemas"]["AzureBlobSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * FileConfig
         * @description Files on the server, in a directory per export.
         */
        FileConfig: {
            /**
             * @description The directory below the export's own directory. Empty by default. It must not contain `..`. It may contain the
             *     variables `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}` and `{second}` of the window's end, and
             *     `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix?: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Null or absent for no compression. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description The maximum size of a file in megabytes. A manifest lists all files of the run. 0, null or absent for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * FileDestination
         * @description A destination of the type `File`.
         */
        FileDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "File";
            config: components["schemas"]["FileConfig"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * PostgresSettings
         * @description A table in a PostgreSQL database, without secrets. The connection uses TLS.
         */
        PostgresSettings: {
            host: string;
            /** @description The port. 5432 by default. */
            port?: number;
            database: string;
            /** @description The schema. `public` by default. */
            schema?: string;
            /**
             * @description The table. It is created if it does not exist. By default the name of the export's model, such as
             *     `events`.
             */
            table_name?: string;
            /** @description Whether to accept a self-signed certificate. False by default. */
            has_self_signed_cert?: boolean;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * PostgresDestination
         * @description A destination of the type `Postgres`, without secrets.
         */
        PostgresDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Postgres";
            config: components["schemas"]["PostgresSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * RedshiftSettings
         * @description A table in Amazon Redshift, without secrets. The connection uses TLS.
         */
        RedshiftSettings: {
            host: string;
            /** @description The port. 5439 by default. */
            port?: number;
            database: string;
            /** @description The schema. `public` by default. */
            schema?: string;
            /** @description The table. It is created if it does not exist. The name of the model by default. */
            table_name?: string;
            /** @description Whether to accept a self-signed certificate. False by default. */
            has_self_signed_cert?: boolean;
            /**
             * @description The type of JSON columns. `varchar` by default.
             * @enum {string}
             */
            properties_data_type?: "varchar" | "super";
            /**
             * @description Insert rows, or copy them from files in a bucket. `INSERT` by default.
             * @enum {string}
             */
            mode?: "INSERT" | "COPY";
            /** @description The bucket to copy from. An access key in it is omitted. */
            copy_inputs?: {
                s3_bucket: string;
                region_name: string;
                s3_key_prefix?: string;
                /** @description The name of an IAM role. An empty object if an access key is used. */
                authorization?: string | {
                    [key: string]: unknown;
                };
                /** @description Always empty. */
                bucket_credentials?: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * RedshiftDestination
         * @description A destination of the type `Redshift`, without secrets.
         */
        RedshiftDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Redshift";
            config: components["schemas"]["RedshiftSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * ClickHouseSettings
         * @description A table in ClickHouse, without secrets.
         */
        ClickHouseSettings: {
            /**
             * Format: uri
             * @description The address of the HTTP interface, for example `https://clickhouse.example.com:8443`.
             */
            url: string;
            /** @description The database. `default` by default. */
            database?: string;
            /** @description The table. It is created if it does not exist. The name of the model by default. */
            table_name?: string;
            /** @description Whether to accept a self-signed certificate. False by default. */
            has_self_signed_cert?: boolean;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * ClickHouseDestination
         * @description A destination of the type `ClickHouse`, without secrets.
         */
        ClickHouseDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ClickHouse";
            config: components["schemas"]["ClickHouseSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * BigQuerySettings
         * @description A table in Google BigQuery, without secrets.
         */
        BigQuerySettings: {
            project_id: string;
            dataset_id: string;
            /** @description The table. It is created if it does not exist. The name of the model by default. */
            table_id?: string;
            /** @description Whether JSON columns use the type JSON instead of STRING. False by default. */
            use_json_type?: boolean;
            /**
             * Format: uri
             * @description The URL of the API, for a regional or private endpoint. Null or absent for `https://bigquery.googleapis.com`.
             */
            endpoint_url?: string | null;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * BigQueryDestination
         * @description A destination of the type `BigQuery`, without secrets.
         */
        BigQueryDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "BigQuery";
            config: components["schemas"]["BigQuerySettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * SnowflakeSettings
         * @description A table in Snowflake, without secrets. Names are case-sensitive.
         */
        SnowflakeSettings: {
            /**
             * @description How to authenticate: with `password`, or with `private_key`. `password` by default.
             * @enum {string}
             */
            authentication_type?: "password" | "keypair";
            /** @description The account identifier, for example `myorg-account123` or `xy12345.eu-central-1`, without the domain. */
            account: string;
            database: string;
            warehouse: string;
            schema: string;
            /** @description The table. It is created if it does not exist. The name of the model by default. */
            table_name?: string;
            /** @description The role. Null or absent for the user's default role. */
            role?: string | null;
            /**
             * Format: uri
             * @description The URL of the account, for private connectivity. Null or absent for `https://<account>.snowflakecomputing.com`.
             */
            endpoint_url?: string | null;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * SnowflakeDestination
         * @description A destination of the type `Snowflake`, without secrets.
         */
        SnowflakeDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Snowflake";
            config: components["schemas"]["SnowflakeSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * HTTPSettings
         * @description A server that accepts batches of events like `/batch/` of this API, without secrets.
         */
        HTTPSettings: {
            /**
             * Format: uri
             * @description The full URL that receives the batches.
             */
            url: string;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * HTTPDestination
         * @description A destination of the type `HTTP`, without secrets.
         */
        HTTPDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "HTTP";
            config: components["schemas"]["HTTPSettings"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * NoOpConfig
         * @description Reads and counts the events without delivering them. Use it to try a schedule or a query.
         */
        NoOpConfig: {
            /** @description Not used. Empty by default. */
            arg?: string;
            /** @description Export only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not export events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * NoOpDestination
         * @description A destination of the type `NoOp`.
         */
        NoOpDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "NoOp";
            config: components["schemas"]["NoOpConfig"];
            integration: components["schemas"]["DestinationIntegration"];
        };
        /**
         * Destination
         * @description The destination of a batch export, without secrets. `type` determines the shape of `config`.
         */
        Destination: components["schemas"]["S3Destination"] | components["schemas"]["AwsS3Destination"] | components["schemas"]["S3CompatibleDestination"] | components["schemas"]["AzureBlobDestination"] | components["schemas"]["FileDestination"] | components["schemas"]["PostgresDestination"] | components["schemas"]["RedshiftDestination"] | components["schemas"]["ClickHouseDestination"] | components["schemas"]["BigQueryDestination"] | components["schemas"]["SnowflakeDestination"] | components["schemas"]["HTTPDestination"] | components["schemas"]["NoOpDestination"];
        /**
         * BatchExportInterval
         * @description How often the export runs, and the length of each run's window. Days begin at 00:00 and weeks on Sunday at 00:00 in UTC,
         *     unless `timezone`, `offset_day` and `offset_hour` say otherwise. Shorter windows are aligned to UTC.
         * @enum {string}
         */
        BatchExportInterval: "hour" | "day" | "week" | "every 5 minutes" | "every 15 minutes";
        /**
         * BatchExportRunStatus
         * @description The status of a run. `Starting` and `Running` runs are in progress; all other statuses are final. A `Failed` run fails
         *     again until its cause is fixed. A `FailedRetryable` run has used up its attempts. The last three values are reserved
         *     for compatibility.
         * @enum {string}
         */
        BatchExportRunStatus: "Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew";
        /**
         * BatchExportRun
         * @description The export of one window of events.
         */
        BatchExportRun: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["BatchExportRunStatus"];
            /** @description The number of events delivered so far. Null before the first delivery. */
            records_completed: number | null;
            /** @description The message of the most recent error. Null if there was none. */
            latest_error: string | null;
            /**
             * Format: date-time
             * @description The start of the window, inclusive.
             */
            data_interval_start: string;
            /**
             * Format: date-time
             * @description The end of the window, exclusive.
             */
            data_interval_end: string;
            /** @description Always null. */
            cursor: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the run ended. Null while it is in progress.
             */
            finished_at: string | null;
            /** Format: date-time */
            last_updated_at: string;
            /** @description The number of events in the window. Null until they are counted. */
            records_total_count: number | null;
            /**
             * @description The number of bytes written to the destination so far. While a run is in progress, it is updated every second, as
             *     is `records_completed`. Null before the first delivery, and for runs of older versions.
             */
            bytes_completed: number | null;
            /**
             * Format: uuid
             * @description The id of the batch export.
             */
            batch_export: string;
            /** @description The id of the backfill that the run belongs to. Null for scheduled runs and their retries. */
            backfill_id: string | null;
        };
        /**
         * BatchExport
         * @description A scheduled export of a project's events, persons or sessions to a destination.
         */
        BatchExport: {
            /** Format: uuid */
            id: string;
            /** @description The id of the project whose events are exported. */
            team_id: number;
            /** @description The name of the export. Names need not be unique. */
            name: string;
            model: components["schemas"]["BatchExportModel"];
            destination: components["schemas"]["Destination"];
            interval: components["schemas"]["BatchExportInterval"];
            /** @description The IANA time zone in which days and weeks begin. */
            timezone: string;
            /** @description The day on which weeks begin, from 0 (Sunday) to 6. 0 for other intervals. */
            offset_day: number;
            /** @description The local hour at which days and weeks begin, from 0 to 23. 0 for other intervals. */
            offset_hour: number;
            /** @description Whether scheduling is paused. A paused export can still run backfills. */
            paused: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_updated_at: string;
            /**
             * Format: date-time
             * @description When the last pause of the export began. Null if it was never paused. Read-only.
             */
            last_paused_at: string | null;
            /**
             * Format: date-time
             * @description No scheduled run starts before this time. Null for no limit.
             */
            start_at: string | null;
            /**
             * Format: date-time
             * @description No scheduled run starts after this time. Null for no limit.
             */
            end_at: string | null;
            /**
             * Format: date-time
             * @description When the next scheduled run starts. A time in the past means that the run is about to start. Null if the export
             *     is paused or its schedule has ended. Read-only.
             */
            next_run_at: string | null;
            /** @description The ten most recent runs, newest first. */
            latest_runs: components["schemas"]["BatchExportRun"][];
            /** @description The conditions on events, as sent. Null without conditions. */
            filters: {
                [key: string]: unknown;
            }[] | null;
            /**
             * @description The SELECT statement that defines columns and rows, as sent. Null for the destination's default columns and all
             *     rows.
             */
            hogql_query: string | null;
            /** @description The parsed form of `hogql_query`. Null if there is no query. */
            schema: {
                /** @description The columns, in the order of the query. */
                fields: {
                    /** @description The expression in canonical HogQL. */
                    expression: string;
                    /** @description The name of the exported column. */
                    alias: string;
                }[];
                /** @description The literals used by the expressions, by name. */
                values: {
                    [key: string]: unknown;
                };
                /** @description The query in canonical form, on one line. */
                hogql_query: string;
            } | null;
        };
        /**
         * BatchExportPage
         * @description One page of batch exports.
         */
        BatchExportPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["BatchExport"][];
        };
        /**
         * BatchExportFields
         * @description The writable fields of a batch export, except its destination.
         */
        BatchExportFields: {
            name?: string;
            interval?: components["schemas"]["BatchExportInterval"];
            /**
             * @description False by default. True pauses the export like the pause operation. False unpauses it like the unpause operation
             *     without `backfill`.
             */
            paused?: boolean;
            /**
             * @description No scheduled run starts before this time. Null for no limit. Takes an ISO 8601 time; UTC if no time zone is
             *     specified.
             */
            start_at?: string | null;
            /**
             * @description No scheduled run starts after this time. Null for no limit. Takes an ISO 8601 time; UTC if no time zone is
             *     specified.
             */
            end_at?: string | null;
            /**
             * @description A SELECT statement on `events`, or on the model of the export, that defines columns and rows. Joins, unions and subqueries are not supported. Null
             *     for the destination's default columns and all rows.
             */
            hogql_query?: string | null;
            /** @description The rows to export. `events` by default. It cannot change after creation. */
            model?: components["schemas"]["BatchExportModel"];
            /**
             * @description Conditions on the properties of events: a list of `{key, value, operator, type}` or of groups, as in the parameter
             *     `properties` of a list of events. Only events that match all of them are exported, in addition to `include_events`,
             *     `exclude_events` and the WHERE of `hogql_query`. An empty list or null removes them. Only for the model `events`.
             */
            filters?: unknown[] | null;
            /**
             * @description The IANA time zone in which days and weeks begin, such as `Europe/Berlin`. UTC by default; null also stands for UTC.
             *     Shorter intervals are aligned to UTC in every time zone.
             */
            timezone?: string | null;
            /**
             * @description The day on which weeks begin, from 0 (Sunday, the default) to 6. Only for the interval `week`; a change to another
             *     interval resets it. Null stands for 0.
             */
            offset_day?: number | null;
            /**
             * @description The local hour at which days and weeks begin, from 0 (the default) to 23. Only for the intervals `day` and `week`; a
             *     change to another interval resets it. Null stands for 0. If the clocks skip the hour, the window ends when they
             *     change; if they show it twice, it ends the first time.
             */
            offset_hour?: number | null;
        };
        /**
         * S3Config
         * @description A bucket on Amazon S3 or a compatible store.
         */
        S3Config: {
            aws_access_key_id: string;
            aws_secret_access_key: string;
        } & components["schemas"]["S3Settings"];
        /**
         * S3DestinationCreate
         * @description A complete destination of the type `S3`, with secrets.
         */
        S3DestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "S3";
            config: components["schemas"]["S3Config"];
        };
        /**
         * AwsS3Config
         * @description A bucket on Amazon S3.
         */
        AwsS3Config: {
            /** @description The access key. Required unless `use_default_credentials` is true. */
            aws_access_key_id?: string;
            /** @description The secret of the access key. Required unless `use_default_credentials` is true. */
            aws_secret_access_key?: string;
        } & components["schemas"]["AwsS3Settings"];
        /**
         * AwsS3DestinationCreate
         * @description A complete destination of the type `AwsS3`, with secrets.
         */
        AwsS3DestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "AwsS3";
            config: components["schemas"]["AwsS3Config"];
        };
        /**
         * S3CompatibleConfig
         * @description A bucket on a store that is compatible with Amazon S3.
         */
        S3CompatibleConfig: {
            aws_access_key_id: string;
            aws_secret_access_key: string;
        } & components["schemas"]["S3CompatibleSettings"];
        /**
         * S3CompatibleDestinationCreate
         * @description A complete destination of the type `S3Compatible`, with secrets.
         */
        S3CompatibleDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "S3Compatible";
            config: components["schemas"]["S3CompatibleConfig"];
        };
        /**
         * AzureBlobConfig
         * @description A container in Azure Blob Storage.
         */
        AzureBlobConfig: {
            /** @description The connection string of the storage account. */
            connection_string: string;
        } & components["schemas"]["AzureBlobSettings"];
        /**
         * AzureBlobDestinationCreate
         * @description A complete destination of the type `AzureBlob`, with secrets.
         */
        AzureBlobDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "AzureBlob";
            config: components["schemas"]["AzureBlobConfig"];
        };
        /**
         * FileDestinationCreate
         * @description A complete destination of the type `File`.
         */
        FileDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "File";
            config?: components["schemas"]["FileConfig"];
        };
        /**
         * PostgresConfig
         * @description A table in a PostgreSQL database. The connection uses TLS.
         */
        PostgresConfig: {
            user: string;
            password: string;
        } & components["schemas"]["PostgresSettings"];
        /**
         * PostgresDestinationCreate
         * @description A complete destination of the type `Postgres`, with secrets.
         */
        PostgresDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Postgres";
            config: components["schemas"]["PostgresConfig"];
        };
        /**
         * AwsKeyPair
         * @description An AWS access key.
         */
        AwsKeyPair: {
            /** @description The id of the access key. */
            aws_access_key_id: string;
            /** @description The secret of the access key. */
            aws_secret_access_key: string;
        };
        /**
         * RedshiftConfig
         * @description A table in Amazon Redshift. The connection uses TLS.
         */
        RedshiftConfig: {
            user: string;
            password: string;
            /** @description The bucket to copy from. Required if `mode` is `COPY`, ignored otherwise. An empty object is the same as null. */
            copy_inputs?: {
                /** @description The bucket for the files that Redshift copies. They are deleted afterwards. */
                s3_bucket: string;
                /** @description The region of the bucket, for example `us-east-1`. */
                region_name: string;
                /** @description The prefix of object keys. Empty by default. */
                s3_key_prefix?: string;
                /** @description How Redshift reads the bucket: the name of an IAM role, or an access key. */
                authorization: string | components["schemas"]["AwsKeyPair"];
                bucket_credentials: components["schemas"]["AwsKeyPair"];
            } | null;
        } & components["schemas"]["RedshiftSettings"];
        /**
         * RedshiftDestinationCreate
         * @description A complete destination of the type `Redshift`, with secrets.
         */
        RedshiftDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Redshift";
            config: components["schemas"]["RedshiftConfig"];
        };
        /**
         * ClickHouseConfig
         * @description A table in ClickHouse.
         */
        ClickHouseConfig: {
            user: string;
            /** @description The password. Empty if the user has none. */
            password: string;
        } & components["schemas"]["ClickHouseSettings"];
        /**
         * ClickHouseDestinationCreate
         * @description A complete destination of the type `ClickHouse`, with secrets.
         */
        ClickHouseDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ClickHouse";
            config: components["schemas"]["ClickHouseConfig"];
        };
        /**
         * BigQueryConfig
         * @description A table in Google BigQuery, with the credentials from the service account's JSON file.
         */
        BigQueryConfig: {
            private_key: string;
            private_key_id: string;
            client_email: string;
            token_uri: string;
        } & components["schemas"]["BigQuerySettings"];
        /**
         * BigQueryDestinationCreate
         * @description A complete destination of the type `BigQuery`, with secrets.
         */
        BigQueryDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "BigQuery";
            config: components["schemas"]["BigQueryConfig"];
        };
        /**
         * SnowflakeConfig
         * @description A table in Snowflake. Names are case-sensitive.
         */
        SnowflakeConfig: {
            user: string;
            /** @description Required if `authentication_type` is `password`. */
            password?: string;
            /** @description An RSA key in PEM format. Required if `authentication_type` is `keypair`. */
            private_key?: string;
            /** @description Required if the private key is encrypted. */
            private_key_passphrase?: string;
        } & components["schemas"]["SnowflakeSettings"];
        /**
         * SnowflakeDestinationCreate
         * @description A complete destination of the type `Snowflake`, with secrets.
         */
        SnowflakeDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Snowflake";
            config: components["schemas"]["SnowflakeConfig"];
        };
        /**
         * HTTPConfig
         * @description A server that accepts batches of events like `/batch/` of this API.
         */
        HTTPConfig: {
            /** @description The project token at the receiving server, sent as `api_key`. */
            token: string;
        } & components["schemas"]["HTTPSettings"];
        /**
         * HTTPDestinationCreate
         * @description A complete destination of the type `HTTP`, with secrets.
         */
        HTTPDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "HTTP";
            config: components["schemas"]["HTTPConfig"];
        };
        /**
         * NoOpDestinationCreate
         * @description A complete destination of the type `NoOp`.
         */
        NoOpDestinationCreate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "NoOp";
            config?: components["schemas"]["NoOpConfig"];
        };
        /**
         * InlineDestinationCreate
         * @description A destination with its own credentials. `type` determines the shape of `config`. An unknown, missing or invalid key is
         *     rejected, and the error names it. Without `config`, every setting has its default.
         */
        InlineDestinationCreate: components["schemas"]["S3DestinationCreate"] | components["schemas"]["AwsS3DestinationCreate"] | components["schemas"]["S3CompatibleDestinationCreate"] | components["schemas"]["AzureBlobDestinationCreate"] | components["schemas"]["FileDestinationCreate"] | components["schemas"]["PostgresDestinationCreate"] | components["schemas"]["RedshiftDestinationCreate"] | components["schemas"]["ClickHouseDestinationCreate"] | components["schemas"]["BigQueryDestinationCreate"] | components["schemas"]["SnowflakeDestinationCreate"] | components["schemas"]["HTTPDestinationCreate"] | components["schemas"]["NoOpDestinationCreate"];
        /**
         * IntegrationDestinationCreate
         * @description A destination with the credentials of an integration. `config` has the keys of `<type>Config` that `<type>Credentials`
         *     does not have. A conditional key of `<type>Credentials`, such as the bucket, is in `config` unless the integration has it.
         */
        IntegrationDestinationCreate: {
            type: components["schemas"]["IntegrationKind"];
            /**
             * @description The id of an integration of the organization. Its kind must be the type of the destination. An unknown id returns 400
             *     `does_not_exist`. Null is the same as absent: `config` has its own credentials.
             */
            integration: string | null;
            /** @description The settings that the integration does not have. A key of the integration with another value is rejected. */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * IntegrationNumberDestinationCreate
         * @description The same as `IntegrationDestinationCreate` for clients that refer to an integration by its number, such as PostHog's
         *     command.
         */
        IntegrationNumberDestinationCreate: {
            type: components["schemas"]["IntegrationKind"];
            /**
             * @description The `number` of an integration of the organization, instead of `integration`. If both are sent, they must name the
             *     same one.
             */
            integration_id: number | null;
            /** @description The settings that the integration does not have. A key of the integration with another value is rejected. */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * DestinationCreate
         * @description A destination with its own credentials, or with those of an integration.
         */
        DestinationCreate: components["schemas"]["InlineDestinationCreate"] | components["schemas"]["IntegrationDestinationCreate"] | components["schemas"]["IntegrationNumberDestinationCreate"];
        /**
         * BatchExportCreate
         * @description A new batch export.
         */
        BatchExportCreate: {
            name: string;
            interval: components["schemas"]["BatchExportInterval"];
            /**
             * @description False by default. True pauses the export like the pause operation. False unpauses it like the unpause operation
             *     without `backfill`.
             */
            paused?: boolean;
            /**
             * @description No scheduled run starts before this time. Null for no limit. Takes an ISO 8601 time; UTC if no time zone is
             *     specified.
             */
            start_at?: string | null;
            /**
             * @description No scheduled run starts after this time. Null for no limit. Takes an ISO 8601 time; UTC if no time zone is
             *     specified.
             */
            end_at?: string | null;
            /**
             * @description A SELECT statement on `events`, or on the model of the export, that defines columns and rows. Joins, unions and subqueries are not supported. Null
             *     for the destination's default columns and all rows.
             */
            hogql_query?: string | null;
            /** @description The rows to export. `events` by default. It cannot change after creation. */
            model?: components["schemas"]["BatchExportModel"];
            /**
             * @description Conditions on the properties of events: a list of `{key, value, operator, type}` or of groups, as in the parameter
             *     `properties` of a list of events. Only events that match all of them are exported, in addition to `include_events`,
             *     `exclude_events` and the WHERE of `hogql_query`. An empty list or null removes them. Only for the model `events`.
             */
            filters?: unknown[] | null;
            /**
             * @description The IANA time zone in which days and weeks begin, such as `Europe/Berlin`. UTC by default; null also stands for UTC.
             *     Shorter intervals are aligned to UTC in every time zone.
             */
            timezone?: string | null;
            /**
             * @description The day on which weeks begin, from 0 (Sunday, the default) to 6. Only for the interval `week`; a change to another
             *     interval resets it. Null stands for 0.
             */
            offset_day?: number | null;
            /**
             * @description The local hour at which days and weeks begin, from 0 (the default) to 23. Only for the intervals `day` and `week`; a
             *     change to another interval resets it. Null stands for 0. If the clocks skip the hour, the window ends when they
             *     change; if they show it twice, it ends the first time.
             */
            offset_hour?: number | null;
            destination: components["schemas"]["DestinationCreate"];
        };
        /**
         * OrganizationBatchExportCreate
         * @description A new batch export in one of the organization's projects.
         */
        OrganizationBatchExportCreate: {
            /** @description The id of the project whose events are exported. The organization's oldest project by default. */
            team_id?: number;
        } & components["schemas"]["BatchExportCreate"];
        /**
         * DestinationType
         * @description The type of a destination.
         * @enum {string}
         */
        DestinationType: "S3" | "AwsS3" | "S3Compatible" | "AzureBlob" | "File" | "Postgres" | "Redshift" | "ClickHouse" | "BigQuery" | "Snowflake" | "HTTP" | "NoOp";
        /**
         * DestinationWrite
         * @description Changes to a destination. Without `type`, the type stays the same. A different type requires a complete config.
         */
        DestinationWrite: {
            type?: components["schemas"]["DestinationType"];
            /**
             * @description The id of the integration with the credentials. Null if the config has its own: then send all of them. Without this
             *     field, the integration stays the same; a different type has none.
             */
            integration?: string | null;
            /** @description The number of the integration, instead of `integration`. If both are sent, they must name the same one. */
            integration_id?: number | null;
            /**
             * @description The settings to change, validated against the schema `<type>Config`. An unknown, missing or invalid key is
             *     rejected, and the error names it. The settings are merged into the stored config. Stored secrets are kept, unless
             *     a change sends them to a different receiver.
             */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * BatchExportWrite
         * @description Changes to a batch export.
         */
        BatchExportWrite: {
            destination?: components["schemas"]["DestinationWrite"];
        } & components["schemas"]["BatchExportFields"];
        /**
         * BatchExportBackfill
         * @description The range of event timestamps to export. Takes ISO 8601 times; UTC if no time zone is specified.
         */
        BatchExportBackfill: {
            /**
             * @description The start of the range, inclusive.
             * @example 2026-11-01T00:00:00Z
             */
            start_at: string;
            /**
             * @description The end of the range, exclusive. It must be after `start_at` and not in the future.
             * @example 2026-11-02T00:00:00Z
             */
            end_at: string;
        };
        /**
         * BatchExportBackfilled
         * @description The batch export and the id of the new backfill.
         */
        BatchExportBackfilled: {
            /** @description The id of the backfill. Requesting the same range again while the backfill is in progress returns the same id. */
            backfill_id: string;
        } & components["schemas"]["BatchExport"];
        /**
         * BatchExportPause
         * @description The pause operation ignores all fields.
         */
        BatchExportPause: {
            [key: string]: unknown;
        };
        /**
         * BatchExportUnpause
         * @description How to continue after a pause.
         */
        BatchExportUnpause: {
            /** @description True exports the events that arrived during the pause. False skips them. The default is false. */
            backfill?: boolean;
        };
        /**
         * BatchExportUnpaused
         * @description The batch export and the events that it skips.
         */
        BatchExportUnpaused: {
            /** @description The events that arrived during the pause and are not exported. Null if no pause ended or no event is skipped. */
            skipped_events: {
                /** @description The number of skipped events. */
                count: number;
                /**
                 * @description False if `count` is a minimum, because there are more than 200,000 events or some were still being stored. The
                 *     export's log records the exact number shortly after.
                 */
                exact: boolean;
                /**
                 * Format: date-time
                 * @description When the pause began. The skipped events arrived after it.
                 */
                start_at: string;
                /**
                 * Format: date-time
                 * @description When the pause ended.
                 */
                end_at: string;
            } | null;
        } & components["schemas"]["BatchExport"];
        /**
         * QueryPreviewCreate
         * @description The query of a batch export, and the filters of its rows.
         */
        QueryPreviewCreate: {
            /** @description A SELECT statement on the model, as in a batch export. */
            hogql_query: string;
            /** @description The model of the export. `events` by default. */
            model?: components["schemas"]["BatchExportModel"];
            /** @description Return 400 if destinations of this type do not support a query. */
            destination_type?: components["schemas"]["DestinationType"];
            /** @description Conditions on the properties of events, as in a batch export. Only for the model `events`. Null for none. */
            filters?: unknown[] | null;
            /** @description Return only events with these names. Empty, null or absent for all events. */
            include_events?: string[] | null;
            /** @description Do not return events with these names. Takes precedence over `include_events`. */
            exclude_events?: string[] | null;
        };
        /**
         * QueryPreview
         * @description The rows of a query on recent events.
         */
        QueryPreview: {
            /** @description The names of the columns. */
            columns: string[];
            /** @description Up to ten rows, newest event first: each row is a list of values in the order of `columns`. */
            results: unknown[][];
        };
        /**
         * BatchExportLogLevel
         * @description The log levels, least severe first.
         * @enum {string}
         */
        BatchExportLogLevel: "DEBUG" | "LOG" | "INFO" | "WARNING" | "ERROR";
        /**
         * BatchExportLogEntry
         * @description A log entry of a batch export.
         */
        BatchExportLogEntry: {
            /** @description The id of the project. */
            team_id: number;
            /** Format: uuid */
            batch_export_id: string;
            /** @description The id of the run. Empty if the entry is not about a run. */
            run_id: string;
            /** Format: date-time */
            timestamp: string;
            level: components["schemas"]["BatchExportLogLevel"];
            message: string;
        };
        /**
         * BatchExportLogEntryPage
         * @description One page of log entries.
         */
        BatchExportLogEntryPage: {
            /** @description The number of results among the newest 10,000 entries of the range. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["BatchExportLogEntry"][];
        };
        /**
         * BatchExportRunPage
         * @description One page of runs. It has no `count`.
         */
        BatchExportRunPage: {
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["BatchExportRun"][];
        };
        /**
         * BackfillStatus
         * @description The status of a backfill. It is `Starting` until its first run starts. `Starting` and `Running` backfills are in
         *     progress; all other statuses are final.
         * @enum {string}
         */
        BackfillStatus: "Starting" | "Running" | "Completed" | "Failed" | "Cancelled";
        /**
         * Backfill
         * @description An export of a range of past events, one run per interval.
         */
        Backfill: {
            /**
             * Format: uuid
             * @description The `backfill_id` of the backfill operation. The names of its files contain it.
             */
            id: string;
            /** @description The id of the project whose events are exported. */
            team_id: number;
            /**
             * Format: uuid
             * @description The id of the batch export.
             */
            batch_export: string;
            /**
             * Format: date-time
             * @description The start of the range of event timestamps, inclusive.
             */
            start_at: string;
            /**
             * Format: date-time
             * @description The end of the range of event timestamps, exclusive.
             */
            end_at: string;
            interval: components["schemas"]["BatchExportInterval"];
            /**
             * @description The time zone of daily and weekly windows, which begin at the local time of `start_at`. A backfill keeps its
             *     interval and time zone if those of the export change.
             */
            timezone: string;
            status: components["schemas"]["BackfillStatus"];
            /**
             * @description The completed share of the windows, from 0 to 1. The current window counts by its delivered events. Null if the
             *     backfill failed or was cancelled.
             */
            progress: number | null;
            /** @description The number of windows whose runs are complete. */
            windows_completed: number;
            /** @description The number of windows of the range. */
            windows_total: number;
            /** @description The number of events delivered so far. */
            records_completed: number;
            /** @description The number of bytes written to the destination so far. */
            bytes_completed: number;
            /** @description The average rate since the backfill was created. Null before the first event is delivered. */
            records_per_second: number | null;
            /** @description The estimated time until the backfill completes. Null if it is unknown or the backfill has ended. */
            seconds_left: number | null;
            /**
             * @description The error of the run that ended the backfill, or of the last failed attempt of its current run. Null if there was
             *     none.
             */
            latest_error: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the backfill ended. Null while it is in progress.
             */
            finished_at: string | null;
            /** Format: date-time */
            last_updated_at: string;
        };
        /**
         * BackfillPage
         * @description One page of backfills. It has no `count`.
         */
        BackfillPage: {
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Backfill"][];
        };
        /**
         * BackfillCreate
         * @description The range of event timestamps to export. Takes ISO 8601 times; UTC if no time zone is specified.
         */
        BackfillCreate: {
            /**
             * @description The start of the range, inclusive. Null for the start of the interval with the project's earliest event.
             * @example 2026-11-01T00:00:00Z
             */
            start_at: string | null;
            /**
             * @description The end of the range, exclusive. It must be after `start_at` and not in the future.
             * @example 2026-11-02T00:00:00Z
             */
            end_at: string;
        };
        /**
         * BackfillEstimate
         * @description The size of a backfill.
         */
        BackfillEstimate: {
            /**
             * Format: date-time
             * @description The start of the range. If null was sent, the start of the interval with the earliest event.
             */
            start_at: string;
            /**
             * Format: date-time
             * @description The end of the range.
             */
            end_at: string;
            /** @description The number of runs. */
            windows: number;
            /** @description The number of events. */
            records: number;
            /**
             * @description The approximate number of bytes written to the destination, from the export's recent runs. Without such runs, from
             *     the uncompressed size of recent events.
             */
            bytes: number;
            /**
             * @description Whether `records` is exact. If a query selects the events, counting them may take too long; the number is then
             *     extrapolated from the newest events.
             */
            exact: boolean;
        };
        /**
         * Plugin
         * @description A plugin that an organization installed. Its code runs in a sandbox for each enabled configuration.
         */
        Plugin: {
            id: number;
            /**
             * @description The origin of the code: `custom` (fetched from a URL), `repository` (fetched from the URL of a catalog entry),
             *     `local` (a directory on the server) or `source` (sent in a request). Null if it is unknown.
             */
            plugin_type: ("local" | "custom" | "repository" | "source") | null;
            name: string | null;
            description: string | null;
            /**
             * @description The URL that the plugin was installed from, without its query string, which may contain a token. Null if there is
             *     none.
             */
            url: string | null;
            /** @description The URL of an image. */
            icon: string | null;
            /** @description The settings of the plugin: a list of fields or, in older plugins, an object of fields by key. */
            config_schema: {
                [key: string]: unknown;
            }[] | {
                [key: string]: unknown;
            };
            /** @description The installed revision, for example a commit or a package version. */
            tag: string | null;
            /** @description The latest known revision. `check_for_updates` refreshes it, and `upgrade` installs it. */
            latest_tag: string | null;
            /** @description Whether every organization can see the plugin. Only the organization that owns it can change it. */
            is_global: boolean;
            /**
             * Format: uuid
             * @description The id of the organization that owns the plugin.
             */
            organization_id: string;
            organization_name: string;
            /** @description The exports found in the code: lists of names in `methods`, `jobs` and `scheduled_tasks`. */
            capabilities: {
                [key: string]: unknown;
            };
            /** @description Stored for compatibility. It has no effect. */
            metrics: {
                [key: string]: unknown;
            } | null;
            /** @description The jobs that users can start: the fields of each job by its name. */
            public_jobs: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * PluginPage
         * @description One page of plugins.
         */
        PluginPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Plugin"][];
        };
        /**
         * PluginWrite
         * @description The writable fields of a plugin. The next upgrade overwrites fields that are set in `plugin.json`.
         */
        PluginWrite: {
            /**
             * @description Stored as sent for a plugin without a URL. A plugin installed from a URL has the type `custom`, or `repository` if
             *     that is sent. A plugin installed from a directory has the type `local`.
             */
            plugin_type?: ("local" | "custom" | "repository" | "source") | null;
            name?: string | null;
            description?: string | null;
            /** @description The URL of an image. */
            icon?: string | null;
            /** @description The settings of the plugin: a list of fields, or an object of fields by key. */
            config_schema?: {
                [key: string]: unknown;
            }[] | {
                [key: string]: unknown;
            };
            tag?: string | null;
            /** @description Whether every organization can see the plugin. Changing it requires level 8 and plugin access level 9. */
            is_global?: boolean;
            /** @description Ignored. The capabilities come from the code. */
            capabilities?: {
                [key: string]: unknown;
            };
            metrics?: {
                [key: string]: unknown;
            } | null;
            public_jobs?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * PluginCreate
         * @description A new plugin. Send `url` to fetch the code, `source` to upload it, or neither to add the code later.
         */
        PluginCreate: {
            /**
             * @description A GitHub or GitLab repository, an npm package, or a `file:` URL of a directory that the operator allows. A
             *     `private_token` in the query string is used to fetch the code and is stored as a secret.
             */
            url?: string | null;
            /** @description The code: file contents by file name. Sets the type of the plugin to `source`. Cannot be combined with `url`. */
            source?: {
                [key: string]: string;
            };
        } & components["schemas"]["PluginWrite"];
        /**
         * TextPosition
         * @description A position in a text with lines.
         */
        TextPosition: {
            /** @description Counted from 1. */
            line: number;
            /** @description Counted from 1, in UTF-16 code units. */
            column: number;
        };
        /**
         * PluginWithSource
         * @description A plugin with its source code.
         */
        PluginWithSource: {
            /** @description The stored files: contents by file name. */
            source: {
                [key: string]: string;
            };
            /** @description Syntax errors by file name. */
            source_errors: {
                [key: string]: string;
            };
            /** @description The positions of these errors by file name. Errors of a whole file have none. */
            source_error_positions: {
                [key: string]: components["schemas"]["TextPosition"];
            };
        } & components["schemas"]["Plugin"];
        /**
         * PluginSourceWrite
         * @description Changes to a plugin's files. Instead of `source`, the files themselves are accepted, as PostHog's clients send them: an
         *     object of contents, or null, by file name. Then every file name needs an extension. Other fields return 400, except
         *     those of the plugin beside `source`, which have no effect.
         */
        PluginSourceWrite: {
            /** @description File contents by file name. Null deletes a file. Files that are not listed stay unchanged. */
            source?: {
                [key: string]: string | null;
            };
            /**
             * @description Whether to store code that does not load although the plugin is enabled. Its configurations are switched off. Without
             *     it, such code is refused.
             */
            allow_broken?: boolean;
        };
        /**
         * PluginActivity
         * @description A change to a plugin or to one of its configurations.
         */
        PluginActivity: {
            /** @description The user who made the change, with the name at that time. */
            user: {
                first_name: string;
                email: string;
            };
            /**
             * @description The kind of change. For a plugin: `installed`, `updated`, `source_updated`, `upgraded` or `uninstalled`. For a
             *     configuration: `config_created`, `enabled`, `disabled`, `order_changed`, `config_updated` or `config_deleted`.
             */
            activity: string;
            /**
             * @description The type of the changed resource.
             * @enum {string}
             */
            scope: "Plugin" | "PluginConfig";
            /** @description The id of the plugin or configuration, as a decimal string. */
            item_id: string;
            detail: {
                /** @description The name at that time. Empty if there was none. */
                name: string;
                /** @description The changed fields. Null if there are no field changes. Secrets are masked, and code is omitted. */
                changes: {
                    /** @enum {string} */
                    type: "Plugin" | "PluginConfig";
                    /** @enum {string} */
                    action: "created" | "changed" | "deleted";
                    field: string;
                    before: unknown;
                    after: unknown;
                }[] | null;
                /** @description Always null. The log of a configuration shows its jobs. */
                trigger: {
                    [key: string]: unknown;
                } | null;
                /** @description Always null. */
                type: string | null;
                /** @description Always null. */
                short_id: string | null;
            };
            /** Format: date-time */
            created_at: string;
        };
        /**
         * PluginWithActivity
         * @description A plugin with its activity.
         */
        PluginWithActivity: {
            /** @description The latest entries, newest first, at most 100. */
            activity: components["schemas"]["PluginActivity"][];
        } & components["schemas"]["Plugin"];
        /**
         * PluginActivityPage
         * @description One page of plugins with their activity.
         */
        PluginActivityPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginWithActivity"][];
        };
        /**
         * CatalogPlugin
         * @description A catalog entry in the shape of a plugin. It is not installed. `id` is its one-based position in the catalog and
         *     cannot be used in paths. `organization_id` is the calling organization. To install the plugin, send its `url` to the
         *     create operation.
         */
        CatalogPlugin: {
            /** @description Whether a maintainer of the catalog reviewed the code. */
            verified: boolean;
            /**
             * @description The maintainer of the plugin.
             * @enum {string}
             */
            maintainer: "official" | "community";
            /**
             * @description The purpose of the plugin: `data_out` for destinations, `data_in` for import apps, `site` for frontend apps.
             * @enum {string}
             */
            type: "data_in" | "data_out" | "ingestion_filtering" | "site";
        } & components["schemas"]["Plugin"];
        /**
         * CatalogPluginPage
         * @description One page of the catalog.
         */
        CatalogPluginPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["CatalogPlugin"][];
        };
        /**
         * PluginEventFilter
         * @description Matches the events of a name whose properties match all of `properties`.
         */
        PluginEventFilter: {
            /** @description The name of the event. Null for every name. */
            id: string | null;
            properties?: {
                /** @description The name of a property of the event. */
                key: string;
                /**
                 * @description `exact` by default. `is_set` and `is_not_set` need no value. The `icontains` operators ignore case. A regular
                 *     expression that is not valid fails for every event, which is then not sent.
                 * @enum {string}
                 */
                operator?: "exact" | "is_not" | "icontains" | "not_icontains" | "regex" | "not_regex" | "gt" | "gte" | "lt" | "lte" | "is_set" | "is_not_set";
                /** @description A value, or a list of values of which one must match. */
                value?: unknown;
            }[];
        };
        /**
         * PluginFilters
         * @description The events that the functions of the plugin get: those that match `where` and one of `events`. Without `events` and
         *     `actions`, all events match. An event that does not match passes `processEvent` unchanged.
         */
        PluginFilters: {
            /**
             * @description Events must also match this HogQL condition, such as `person.properties.plan = 'pro'`. It applies to stored events, so a
             *     plugin with `processEvent` cannot have it.
             */
            where?: string;
            events?: components["schemas"]["PluginEventFilter"][];
            /** @description Accepted for compatibility. There are no actions, so an entry matches no event. */
            actions?: {
                [key: string]: unknown;
            }[];
        };
        /**
         * PluginConfig
         * @description The settings of a plugin in one project, and whether it is enabled there.
         */
        PluginConfig: {
            id: number;
            /** @description The id of the plugin. */
            plugin: number;
            /** @description Whether the plugin is enabled. A plugin that is not enabled in any project counts as unused. */
            enabled: boolean;
            /** @description The position among the project's plugins, lowest first. */
            order: number;
            /**
             * @description The settings by key. Secret settings are masked. A setting of type `attachment` is returned without its contents, as
             *     `file_name`, `content_type` and `size` in bytes.
             */
            config: {
                [key: string]: unknown;
            };
            /** @description The id of the project. */
            team_id: number;
            plugin_info: components["schemas"]["Plugin"];
            /** @description The name of the configuration, or else the name of the plugin. Empty if neither is set. */
            name: string;
            /** @description The description of the configuration, or else the description of the plugin. Empty if neither is set. */
            description: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the configuration was disabled. Null while it is enabled, and if it was never enabled. With a time, `skip` of an
             *     update has an effect.
             */
            disabled_at: string | null;
            /** @description The events that the functions of the plugin get. Null for all. */
            filters: components["schemas"]["PluginFilters"] | null;
            /** @description Whether the plugin may read this project with `posthog.api`. */
            api_access: boolean;
            /** @description The last error of the plugin. Null if the last calls succeeded. */
            error: {
                name: string;
                message: string;
                stack: string;
                /** @description The function that failed. */
                method: string;
                /** Format: date-time */
                time: string;
            } | null;
            /** @description The share of calls in the last 24 hours that succeeded, from 0 to 1. Null if there was none. */
            delivery_rate_24h: number | null;
        };
        /**
         * PluginConfigPage
         * @description One page of plugin configurations.
         */
        PluginConfigPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginConfig"][];
        };
        /**
         * PluginConfigWrite
         * @description The writable fields of a plugin configuration.
         */
        PluginConfigWrite: {
            /** @description False by default. */
            enabled?: boolean;
            /**
             * @description With `enabled: true`, do not deliver the events that arrived while the configuration was disabled. False by
             *     default. It has no effect on a configuration that was never enabled, which starts with the next event.
             */
            skip?: boolean;
            /** @description The position among the project's plugins, lowest first. 0 by default. */
            order?: number;
            /**
             * @description All settings, validated against the plugin's `config_schema`. Unknown settings are rejected. Required settings
             *     must be present unless `visible_if` hides them. A value of a choice must be one of `choices`. Omitted settings
             *     have their defaults. For a secret, its mask or null keeps the stored value, and an empty string clears it. Below
             *     level 8, a change of any setting requires all stored secrets again in the same request. A setting of type
             *     `attachment` is an object with `file_name`, `content_type` and `contents` in base64; without `contents`, the stored
             *     contents are kept. A text is taken as the contents in base64.
             */
            config?: {
                [key: string]: unknown;
            };
            /** @description The events that the functions of the plugin get. Null for all, which is the default. */
            filters?: components["schemas"]["PluginFilters"] | null;
            /**
             * @description Whether the plugin may read this project with `posthog.api`. False by default. Only a member of level 8 or more can set it
             *     to true, with a session or a key that has all scopes; the plugin then reads what this member can read. The access ends when the member leaves the organization.
             */
            api_access?: boolean;
            /** @description Null or empty to use the plugin's name. */
            name?: string | null;
            /** @description Null or empty to use the plugin's description. */
            description?: string | null;
        };
        /**
         * PluginConfigCreate
         * @description A new plugin configuration in the project.
         */
        PluginConfigCreate: {
            /** @description The id of a plugin that the project's organization can see. */
            plugin: number;
        } & components["schemas"]["PluginConfigWrite"];
        /**
         * PluginSampleEvent
         * @description An event as a client sends it.
         */
        PluginSampleEvent: {
            event: string;
            distinct_id: string;
            timestamp?: string;
            uuid?: string;
            properties?: {
                [key: string]: unknown;
            };
            $set?: {
                [key: string]: unknown;
            };
            $set_once?: {
                [key: string]: unknown;
            };
        };
        /**
         * PluginTest
         * @description A plugin and sample events. Send `plugin` or `plugin_config`.
         */
        PluginTest: {
            /** @description The id of a plugin that the project's organization can see. */
            plugin?: number;
            /** @description The id of a configuration of the project, whose settings are used. */
            plugin_config?: number;
            /** @description Settings in place of the stored ones, validated against the plugin's `config_schema`. */
            config?: {
                [key: string]: unknown;
            };
            /** @description Code in place of the stored `index.ts`. */
            source?: string;
            /** @description The sample events. One pageview by default. */
            events?: components["schemas"]["PluginSampleEvent"][];
        };
        /**
         * PluginLogType
         * @description The severity of a log entry.
         * @enum {string}
         */
        PluginLogType: "DEBUG" | "LOG" | "INFO" | "WARN" | "ERROR";
        /**
         * PluginTestResult
         * @description The calls of a test, its log and everything that the plugin would have captured and queued.
         */
        PluginTestResult: {
            /** @description Why the code or `setupPlugin` failed, or that there is nothing to call. Null if they succeeded. */
            error: string | null;
            /** @description One result per event and exported function. Each of several events that `processEvent` returned has its own. */
            results: {
                /**
                 * @description `processEvent`, `onEvent`, `composeWebhook` or `exportEvents`, or the name of a scheduled task or of a job that the
                 *     plugin queued.
                 */
                function: string;
                /** @description The event, `events` for `exportEvents`, or the `payload` of a job. */
                input: {
                    [key: string]: unknown;
                };
                /**
                 * @description The event that `processEvent` returned, or null if it dropped the event. The request that `composeWebhook`
                 *     returned. Null for other functions.
                 */
                output: {
                    [key: string]: unknown;
                } | null;
                error: string | null;
                milliseconds: number;
            }[];
            logs: {
                type: components["schemas"]["PluginLogType"];
                message: string;
            }[];
            /** @description The events that the plugin captured. */
            captured: {
                event: string;
                properties: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The jobs that the plugin queued. */
            jobs: {
                type: string;
                payload: unknown;
                delay_ms: number;
            }[];
            /** @description The time of the whole test. */
            milliseconds: number;
        };
        /**
         * PluginLogSource
         * @description The writer of a log entry: the console of the plugin, an error of the plugin, or the server.
         * @enum {string}
         */
        PluginLogSource: "CONSOLE" | "PLUGIN" | "SYSTEM";
        /**
         * PluginLogEntry
         * @description A log entry of a plugin configuration.
         */
        PluginLogEntry: {
            id: number;
            /** @description The id of the project. */
            team_id: number;
            plugin_id: number;
            plugin_config_id: number;
            /** Format: date-time */
            timestamp: string;
            source: components["schemas"]["PluginLogSource"];
            type: components["schemas"]["PluginLogType"];
            message: string;
        };
        /**
         * PluginLogEntryPage
         * @description One page of log entries.
         */
        PluginLogEntryPage: {
            /** @description The number of results among the newest 10,000 entries of the range. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginLogEntry"][];
        };
        /**
         * PluginMetric
         * @description The calls of one kind in one hour. An event counts once, whatever the number of attempts.
         */
        PluginMetric: {
            /**
             * Format: date-time
             * @description The start of the hour.
             */
            hour: string;
            /** @description The kind of call: `processEvent`, `onEvent`, `composeWebhook`, `exportEvents`, `scheduledTask` or `job`. */
            category: string;
            /** @description Events that were delivered at the first attempt, or calls of tasks and jobs that succeeded. */
            successes: number;
            /** @description Events that were delivered after retries or by a replay. They are not part of `successes`. */
            successes_on_retry: number;
            /** @description Events that failed for good, or calls of tasks and jobs that failed. */
            failures: number;
            /** @description Events that `processEvent` dropped. */
            dropped: number;
            /** @description Events that `processEvent` changed. */
            changed: number;
            /** @description The time of all calls. */
            milliseconds: number;
        };
        /**
         * PluginMetricValue
         * @description The value of a metric that the code of a plugin exports, in one hour.
         */
        PluginMetricValue: {
            /**
             * Format: date-time
             * @description The start of the hour.
             */
            hour: string;
            name: string;
            /**
             * @description Whether the value is the sum, the largest or the smallest of the values of the hour.
             * @enum {string}
             */
            kind: "sum" | "max" | "min";
            value: number;
        };
        /**
         * PluginMetrics
         * @description The metrics of a plugin configuration.
         */
        PluginMetrics: {
            /** @description The share of events and calls that succeeded, from 0 to 1. Null if there was none. */
            delivery_rate: number | null;
            results: components["schemas"]["PluginMetric"][];
            /** @description The values of the `metrics` that the code exports, per hour. */
            values: components["schemas"]["PluginMetricValue"][];
        };
        /**
         * PluginJobStart
         * @description A job to start.
         */
        PluginJobStart: {
            job: {
                /** @description The name of the job in `public_jobs`. */
                type: string;
                /** @description The fields of the job. */
                payload?: {
                    [key: string]: unknown;
                };
                /** @description Passed to the job as `$operation`. `start` by default. */
                operation?: string;
            };
        };
        /**
         * PluginJobStarted
         * @description A queued job.
         */
        PluginJobStarted: {
            /**
             * Format: uuid
             * @description Passed to the job as `$job_id`.
             */
            job_id: string;
        };
        /**
         * PluginDeliveryFunction
         * @description A function of a plugin that gets stored events.
         * @enum {string}
         */
        PluginDeliveryFunction: "onEvent" | "exportEvents" | "composeWebhook";
        /**
         * PluginFailedDelivery
         * @description An event for which a function of a plugin configuration failed for good.
         */
        PluginFailedDelivery: {
            /** Format: uuid */
            id: string;
            plugin_config_id: number;
            function: components["schemas"]["PluginDeliveryFunction"];
            /**
             * Format: uuid
             * @description The `uuid` of the event in the project.
             */
            event_uuid: string;
            /** @description The name of the event. */
            event: string;
            /** @description The last error. Secret settings are masked. */
            error: string;
            /** @description The failed attempts, with retries and replays. */
            attempts: number;
            /**
             * Format: date-time
             * @description When the event was passed over.
             */
            failed_at: string;
            /**
             * Format: date-time
             * @description Since when the delivery waits for a replay. Null if it does not wait.
             */
            replay_requested_at: string | null;
        };
        /**
         * PluginFailedDeliveryPage
         * @description One page of failed deliveries.
         */
        PluginFailedDeliveryPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginFailedDelivery"][];
        };
        /**
         * PluginReplayWrite
         * @description Which failed deliveries to replay.
         */
        PluginReplayWrite: {
            function?: components["schemas"]["PluginDeliveryFunction"];
        };
        /**
         * PluginReplay
         * @description Queued replays.
         */
        PluginReplay: {
            /** @description The number of failed deliveries that this request added to the waiting ones. */
            queued: number;
        };
        /**
         * PluginTestExpectation
         * @description The expected output of the functions. What is left out is not compared. `now`, `team_id`, `site_url`, `ip` and `sent_at` of
         *     events are never compared, and `uuid` and `timestamp` only if the test event sets them.
         */
        PluginTestExpectation: {
            /** @description The events that `processEvent` returns. An empty list for a dropped event. */
            events?: {
                [key: string]: unknown;
            }[];
            /** @description The requests that `composeWebhook` returns. */
            webhooks?: {
                [key: string]: unknown;
            }[];
        };
        /**
         * PluginTestEvent
         * @description A saved event with the result that is expected of a plugin.
         */
        PluginTestEvent: {
            /** Format: uuid */
            id: string;
            plugin_config_id: number;
            /** @description Unique in the configuration. */
            name: string;
            event: components["schemas"]["PluginSampleEvent"];
            /** @description Null if the functions only have to succeed. Secret settings are masked. */
            expected: components["schemas"]["PluginTestExpectation"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * PluginTestEventPage
         * @description One page of test events.
         */
        PluginTestEventPage: {
            /** @description The total number of results. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginTestEvent"][];
        };
        /**
         * PluginTestEventCreate
         * @description A new test event.
         */
        PluginTestEventCreate: {
            name: string;
            event: components["schemas"]["PluginSampleEvent"];
            /** @description Null if the functions only have to succeed. At most 131,072 characters as JSON. */
            expected?: components["schemas"]["PluginTestExpectation"] | null;
        };
        /**
         * PluginTestEventRunWrite
         * @description How to run the test events.
         */
        PluginTestEventRunWrite: {
            /** @description Code in place of the stored `index.ts`. */
            source?: string;
        };
        /**
         * PluginTestDifference
         * @description A difference between the expected and the actual output.
         */
        PluginTestDifference: {
            /** @description Where the difference is, such as `events[0].properties.plan`. */
            path: string;
            /**
             * @description `missing`: only expected. `unexpected`: only in the output. `different`: in both.
             * @enum {string}
             */
            kind: "missing" | "unexpected" | "different";
            /** @description The expected value as JSON. Null if it is unexpected. */
            expected: unknown;
            /** @description The actual value as JSON. Null if it is missing. */
            actual: unknown;
        };
        /**
         * PluginTestEventRun
         * @description The results of all test events of a configuration.
         */
        PluginTestEventRun: {
            /** @description The number of test events with the expected result. */
            passed: number;
            failed: number;
            /** @description By the name of the test event. */
            results: {
                /** Format: uuid */
                id: string;
                name: string;
                passed: boolean;
                /** @description Why the code, `setupPlugin` or a function failed. Null if they succeeded. */
                error: string | null;
                /** @description At most 100. Keys of objects may have any order. */
                differences: components["schemas"]["PluginTestDifference"][];
                /** @description The output of the functions, to be saved as `expected`. Null after an error. */
                actual: components["schemas"]["PluginTestExpectation"] | null;
                milliseconds: number;
            }[];
        };
        /**
         * PluginTestEventWrite
         * @description The writable fields of a test event.
         */
        PluginTestEventWrite: {
            name?: string;
            event?: components["schemas"]["PluginSampleEvent"];
            /** @description Null if the functions only have to succeed. At most 131,072 characters as JSON. */
            expected?: components["schemas"]["PluginTestExpectation"] | null;
        };
        /**
         * Event
         * @description A captured event. Every field is a string, and three fields contain JSON text.
         */
        Event: {
            /** @description The event's UUID. */
            id: string;
            /** @description The id of the person, as sent. */
            distinct_id: string;
            /** @description The event's properties, as a JSON object in text form. */
            properties: string;
            /** @description The event's name. */
            event: string;
            /** @description When the event occurred, in ISO 8601 and UTC, with microseconds if they were sent. */
            timestamp: string;
            /** @description The person that `distinct_id` belongs to, as JSON text. The text `null` if there is none. */
            person: string;
            /** @description The clicked page elements, innermost first, as JSON text. The text `[]` if there are none. */
            elements: string;
            /** @description The clicked page elements in compact form. Empty if there are none. */
            elements_chain: string;
        };
        /**
         * EventPage
         * @description One page of events, or of rows if `select` is used.
         */
        EventPage: {
            next: components["schemas"]["PageUrl"];
            /** @description The columns of each row. Only with `select`. */
            columns?: string[];
            /** @description The type of each column. Only with `select`. */
            types?: string[];
            /** @description The events. With `select`, rows: each row is a list of values in the order of `columns`. */
            results: (components["schemas"]["Event"] | unknown[])[];
        };
        /**
         * EventValue
         * @description A property value and its number of occurrences.
         */
        EventValue: {
            /** @description The value as text. */
            name: string;
            count: number;
        };
        /**
         * EventValues
         * @description With `key`: the values of that property, most frequent first. Without `key`: an object in the shape of an event, where
         *     each field is the JSON text of a list of at most ten distinct values from recent events.
         */
        EventValues: components["schemas"]["Event"] | components["schemas"]["EventValue"][];
        /**
         * QueryRequest
         * @description A question about the data of a project.
         */
        QueryRequest: {
            query: {
                /**
                 * @description The language of the query. Only HogQL is supported.
                 * @enum {string}
                 */
                kind: "HogQLQuery";
                /**
                 * @description One SELECT from `events`, `persons` or `sessions`, with WHERE, GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET. The limit
                 *     is 100 by default and at most 50,000.
                 */
                query: string;
                /** @description The values of placeholders by name: `{name}` in the query is the value of `name`. */
                values?: {
                    [key: string]: unknown;
                } | null;
                filters?: {
                    /**
                     * @description Only rows of this time: the `timestamp` of events, the `created_at` of persons, the `start_timestamp` of sessions.
                     *     A placeholder `{filters}` in the query has no further effect.
                     */
                    dateRange?: {
                        /** @description The first time. ISO 8601, or a relative time such as `-7d`. */
                        date_from?: string | null;
                        /** @description The end, which is not included. The same formats. */
                        date_to?: string | null;
                    } | null;
                } | null;
                /** @description Whether to return `explain`. False by default. */
                explain?: boolean;
            };
        };
        /**
         * QueryResponse
         * @description The result of a query.
         */
        QueryResponse: {
            /** @description The rows: each is a list of values in the order of `columns`. Times are ISO 8601 in UTC. */
            results: unknown[][];
            /** @description The name of each column. */
            columns: string[];
            /** @description The name and the type of each column. */
            types: string[][];
            /** @description The query as the server read it. */
            hogql: string;
            /** @description Whether more rows match. Repeat the query with a larger OFFSET. */
            hasMore: boolean;
            /** @description The number of rows that the query can return. */
            limit: number;
            offset: number;
            /** @description The time that each step took. */
            timings: {
                /** @description The name of the step. */
                k: string;
                /** @description Seconds. */
                t: number;
            }[];
            /** @description The number of rows that the result was computed from. Hourly counts count as one row each. */
            rows_read: number;
            /** @description How the query was answered. Only with `explain`. */
            explain?: {
                /**
                 * @description `counts`: from the hourly counts of events. `index`: from an index alone. `mirror`: from the
                 *     mirror of the events in columns. `rows`: from the rows themselves.
                 * @enum {string}
                 */
                way: "counts" | "index" | "mirror" | "rows";
                /** @description Why this way was taken. */
                detail: string;
            };
        };
        /**
         * EventInterval
         * @description One interval and its number of events.
         */
        EventInterval: {
            /**
             * Format: date-time
             * @description The start of the interval.
             */
            start: string;
            count: number;
        };
        /**
         * EventHistogram
         * @description The number of events per interval, or one part of it.
         */
        EventHistogram: {
            /** @enum {string} */
            interval: "minute" | "hour" | "day" | "week";
            /**
             * Format: date-time
             * @description The start of the time range, exclusive.
             */
            after: string;
            /**
             * Format: date-time
             * @description The end of the time range, exclusive.
             */
            before: string;
            /** @description True if this response counts the whole time range. False if it is one of several parts. */
            exact: boolean;
            /** @description The part of the time range that is counted so far, from 0 to 1. 1 if `next` is null. */
            progress: number;
            /** @description The absolute URL of the next part, with older events. Null if the whole range is counted. */
            next: string | null;
            /** @description All intervals of the time range, oldest first. */
            results: components["schemas"]["EventInterval"][];
        };
        /**
         * EventTail
         * @description Events in the order of ingestion.
         */
        EventTail: {
            /** @description The position after the last event. Send it with the next request. */
            cursor: string;
            /** @description Whether more events are available now. */
            more: boolean;
            /** @description The events, oldest first. */
            results: components["schemas"]["Event"][];
        };
        /**
         * EventName
         * @description The name of an event or a property, and its number of occurrences.
         */
        EventName: {
            name: string;
            count: number;
        };
        /**
         * EventNames
         * @description Names with their number of occurrences, most frequent first.
         */
        EventNames: {
            /** @description False if the counts come from a sample of recent events. */
            exact: boolean;
            results: components["schemas"]["EventName"][];
        };
        /**
         * Person
         * @description A person, to whom the events of one or more distinct ids belong.
         */
        Person: {
            /** Format: uuid */
            id: string;
            /** @description The distinct ids of the person, in order. At most 1,000. */
            distinct_ids: string[];
            /** @description The properties that events have set. */
            properties: {
                [key: string]: unknown;
            };
            /** @description Whether an event has identified the person. */
            is_identified: boolean;
            /**
             * Format: date-time
             * @description The time of the person's first event.
             */
            created_at: string;
        };
        /**
         * PersonPage
         * @description One page of persons. It has no `count`.
         */
        PersonPage: {
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Person"][];
        };
        /**
         * CaptureRefusedEvent
         * @description An event that was rejected from a batch.
         */
        CaptureRefusedEvent: {
            /** @description The zero-based index of the event in the batch. */
            index: number;
            /** @description The `uuid` that was sent. Null if there was none. */
            uuid: string | null;
            /** @description `event_too_large`: the stored event would exceed 1 MiB, or its person properties 64 Ki characters. More codes may be added. */
            code: string;
            detail: string;
        };
        /**
         * CaptureAccepted
         * @description All events are stored, except those listed in `refused`.
         */
        CaptureAccepted: {
            /** @constant */
            status: 1;
            /** @description The events that were rejected. Sending them again unchanged fails again. Absent if there are none. */
            refused?: components["schemas"]["CaptureRefusedEvent"][];
        };
        /**
         * CaptureEvent
         * @description An event. Unknown keys are ignored.
         */
        CaptureEvent: {
            /** @description The project token. `token`, `$token` and `properties.token` are aliases. A batch specifies the token once. */
            api_key?: string;
            /** @description The event's name. It is truncated to 200 characters. */
            event: string;
            /** @description The id of the person, stored as text. Required, but `$distinct_id` and `properties.distinct_id` are aliases. */
            distinct_id?: string | number;
            properties?: {
                [key: string]: unknown;
            };
            /** @description When the event occurred. If it is absent, null or invalid, the server uses the current time. */
            timestamp?: string | null;
            /** @description The age of the event in milliseconds. Takes precedence over `timestamp`. */
            offset?: number;
            /** @description The event's id. A project stores each id once. If it is absent or null, the server creates one. */
            uuid?: string | null;
            /** @description Person properties to set. */
            $set?: {
                [key: string]: unknown;
            };
            /** @description Person properties to set if they are not set yet. */
            $set_once?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureBatch
         * @description A batch of events with one project token. Unknown keys are ignored.
         */
        CaptureBatch: {
            /** @description The project token. `token` is an alias. It takes precedence over tokens in the events. */
            api_key?: string;
            batch: components["schemas"]["CaptureEvent"][];
            /** @description When the batch was sent, by the sender's clock. The server uses it to correct timestamps if that clock is wrong. */
            sent_at?: string;
            /**
             * @description Set to true when importing old events. The server then does not add `$ip`, because the address of the sender is
             *     not the address of the users.
             */
            historical_migration?: boolean;
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureBody
         * @description An event, an array of events, or a batch. An object with `batch` is a batch.
         */
        CaptureBody: components["schemas"]["CaptureEvent"] | components["schemas"]["CaptureEvent"][] | components["schemas"]["CaptureBatch"];
        /**
         * CaptureText
         * @description Events as JSON text or compressed. A body without a content type is parsed in the same way.
         */
        CaptureText: string;
        /**
         * CaptureForm
         * @description Events as a form.
         */
        CaptureForm: {
            /** @description The events, as JSON text or compressed. */
            data: string;
            /** @description The project token, if `data` does not contain it. `token` is an alias. */
            api_key?: string;
            token?: string;
            /** @description The compression of `data`: `gzip`, `gzip-js`, `lz64` or `base64`. */
            compression?: string;
            /** @description When the form was sent, by the sender's clock. The server uses it to correct timestamps if that clock is wrong. */
            sent_at?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureAllowed
         * @description The response to a CORS preflight request. Its headers allow every origin.
         */
        CaptureAllowed: {
            /** @constant */
            status: 1;
        };
        /**
         * CaptureConfigurationQuery
         * @description The request that SDKs send to `/decide/` and `/flags/`. Only the token is used.
         */
        CaptureConfigurationQuery: {
            /** @description The project token. `token` and `$token` are aliases. */
            api_key?: string;
            token?: string;
            /** @description The person to evaluate flags for. Ignored, because there are no flags. */
            distinct_id?: string | number;
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureConfiguration
         * @description The settings of a project, in the format that SDKs read. Unsupported features are off.
         */
        CaptureConfiguration: {
            config: {
                enable_collect_everything: boolean;
            };
            toolbarParams: {
                [key: string]: unknown;
            };
            isAuthenticated: boolean;
            /** @description The supported compression methods. */
            supportedCompression: string[];
            /** @description The enabled feature flags by name. Always empty. */
            featureFlags: {
                [key: string]: unknown;
            };
            featureFlagPayloads: {
                [key: string]: unknown;
            };
            /** @description The enabled feature flags in the format of `?v=2`. Always empty. */
            flags: {
                [key: string]: unknown;
            };
            errorsWhileComputingFlags: boolean;
            /** @description Always false, so that SDKs do not ask for feature flags again. */
            hasFeatureFlags: boolean;
            /** Format: uuid */
            requestId: string;
            sessionRecording: boolean;
            capturePerformance: boolean;
            autocapture_opt_out: boolean;
            surveys: boolean;
            heatmaps: boolean;
            /** @description The scripts of the enabled plugins, in the order of their configurations. */
            siteApps: {
                /** @description The id of the configuration. */
                id: number;
                /** @description The path of the script on this server. It changes with the script. */
                url: string;
                /** @constant */
                type: "site_app";
            }[];
            analytics: {
                /** @description The path that receives events. */
                endpoint: string;
            };
        };
        /**
         * InstanceStatus
         * @description The state of the installation and of the server that handles the request.
         */
        InstanceStatus: {
            /** @description The version of the program. */
            version: string;
            /** @description How long this server has been running. */
            uptime_seconds: number;
            /**
             * @description The role of this server. Other servers of the installation may have other roles.
             * @enum {string}
             */
            role: "all" | "api" | "worker";
            /** @enum {string} */
            database_engine: "sqlite" | "postgres";
            /** @description The number of the last migration. */
            schema_version: number;
            /** @description Export runs that wait for their start or their next attempt. */
            runs_waiting: number;
            /** @description Export runs in progress. */
            runs_running: number;
            /** @description Deleted projects whose events are not deleted yet. */
            purges_waiting: number;
            /** @description Emails that are not sent yet. */
            mails_waiting: number;
            /** @description Whether the server sends email. */
            email_service_available: boolean;
            /**
             * @description The time since the end of the oldest window whose scheduled run has not finished. Null if no window is due. Paused
             *     exports do not count.
             */
            export_lag_seconds: number | null;
            /**
             * Format: date-time
             * @description When a scheduled backup or `workspace-admin backup` last succeeded. Null if none did. Other programs record theirs
             *     with `workspace-admin backup --record`.
             */
            last_backup_at: string | null;
            /**
             * Format: date-time
             * @description When the last scheduled backup failed. Null after a success.
             */
            last_backup_failed_at: string | null;
            /** @description Why the last scheduled backup failed. Null after a success. */
            last_backup_error: string | null;
            /** @description Whether this server makes backups by itself. */
            backups_scheduled: boolean;
        };
        /**
         * Preflight
         * @description The sign-in methods that the operator has configured.
         */
        Preflight: {
            /** @description The single sign-on providers of the operator. SAML is configured per domain. */
            available_social_auth_providers: {
                "google-oauth2": boolean;
                github: boolean;
                gitlab: boolean;
                oidc: boolean;
            };
            /** @description Whether the server sends email. If not, only the operator can create links that reset a password. */
            email_service_available: boolean;
        };
        /**
         * Health
         * @description The health of the process. For `/health/ready`, whether the server can handle requests.
         */
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        /**
         * S3Credentials
         * @description The credentials of a destination of the type `S3`.
         */
        S3Credentials: {
            bucket_name?: string;
            /** @description The region, for example `us-east-1`. */
            region?: string;
            /**
             * Format: uri
             * @description The URL of a compatible store. Null or absent for Amazon S3 in `region`.
             */
            endpoint_url?: string | null;
            /** @description Whether the bucket name is part of the host name instead of the path. False by default. */
            use_virtual_style_addressing?: boolean;
            aws_access_key_id: string;
            aws_secret_access_key: string;
        };
        /**
         * AwsS3Credentials
         * @description The credentials of a destination of the type `AwsS3`.
         */
        AwsS3Credentials: {
            bucket_name?: string;
            /** @description The region, for example `us-east-1`. */
            region: string;
            /** @description Whether the bucket name is part of the host name instead of the path. False by default. */
            use_virtual_style_addressing?: boolean;
            /**
             * @description Whether to use the role of the server's machine instead of an access key. Only for buckets that the operator lists
             *     in `S3_ROLE_BUCKETS`. False by default.
             */
            use_default_credentials?: boolean;
            /** @description The access key. Required unless `use_default_credentials` is true. */
            aws_access_key_id?: string;
            /** @description The secret of the access key. Required unless `use_default_credentials` is true. */
            aws_secret_access_key?: string;
        };
        /**
         * S3CompatibleCredentials
         * @description The credentials of a destination of the type `S3Compatible`.
         */
        S3CompatibleCredentials: {
            bucket_name?: string;
            /**
             * Format: uri
             * @description The URL of the store.
             */
            endpoint_url: string;
            /** @description Whether the bucket name is part of the host name instead of the path. False by default. */
            use_virtual_style_addressing?: boolean;
            aws_access_key_id: string;
            aws_secret_access_key: string;
        };
        /**
         * AzureBlobCredentials
         * @description The credentials of a destination of the type `AzureBlob`.
         */
        AzureBlobCredentials: {
            /** @description The connection string of the storage account. */
            connection_string: string;
        };
        /**
         * PostgresCredentials
         * @description The credentials of a destination of the type `Postgres`.
         */
        PostgresCredentials: {
            host: string;
            /** @description The port. 5432 by default. */
            port?: number;
            /** @description Whether to accept a self-signed certificate. False by default. */
            has_self_signed_cert?: boolean;
            user: string;
            password: string;
        };
        /**
         * RedshiftCredentials
         * @description The credentials of a destination of the type `Redshift`.
         */
        RedshiftCredentials: {
            host: string;
            /** @description The port. 5439 by default. */
            port?: number;
            /** @description Whether to accept a self-signed certificate. False by default. */
            has_self_signed_cert?: boolean;
            /** @description The bucket to copy from. Required if `mode` is `COPY`, ignored otherwise. An empty object is the same as null. */
            copy_inputs?: {
                /** @description The region of the bucket, for example `us-east-1`. */
                region_name: string;
                /** @description How Redshift reads the bucket: the name of an IAM role, or an access key. */
                authorization: string | components["schemas"]["AwsKeyPair"];
                bucket_credentials: components["schemas"]["AwsKeyPair"];
            } | null;
            user: string;
            password: string;
        };
        /**
         * ClickHouseCredentials
         * @description The credentials of a destination of the type `ClickHouse`.
         */
        ClickHouseCredentials: {
            /**
             * Format: uri
             * @description The address of the HTTP interface, for example `https://clickhouse.example.com:8443`.
             */
            url: string;
            /** @description Whether to accept a self-signed certificate. False by default. */
            has_self_signed_cert?: boolean;
            user: string;
            /** @description The password. Empty if the user has none. */
            password: string;
        };
        /**
         * BigQueryCredentials
         * @description The credentials of a destination of the type `BigQuery`.
         */
        BigQueryCredentials: {
            /**
             * Format: uri
             * @description The URL of the API, for a regional or private endpoint. Null or absent for `https://bigquery.googleapis.com`.
             */
            endpoint_url?: string | null;
            private_key: string;
            private_key_id: string;
            client_email: string;
            token_uri: string;
        };
        /**
         * SnowflakeCredentials
         * @description The credentials of a destination of the type `Snowflake`.
         */
        SnowflakeCredentials: {
            /**
             * @description How to authenticate: with `password`, or with `private_key`. `password` by default.
             * @enum {string}
             */
            authentication_type?: "password" | "keypair";
            /** @description The account identifier, for example `myorg-account123` or `xy12345.eu-central-1`, without the domain. */
            account: string;
            /**
             * Format: uri
             * @description The URL of the account, for private connectivity. Null or absent for `https://<account>.snowflakecomputing.com`.
             */
            endpoint_url?: string | null;
            user: string;
            /** @description Required if `authentication_type` is `password`. */
            password?: string;
            /** @description An RSA key in PEM format. Required if `authentication_type` is `keypair`. */
            private_key?: string;
            /** @description Required if the private key is encrypted. */
            private_key_passphrase?: string;
        };
        /**
         * HTTPCredentials
         * @description The credentials of a destination of the type `HTTP`.
         */
        HTTPCredentials: {
            /**
             * Format: uri
             * @description The full URL that receives the batches.
             */
            url: string;
            /** @description The project token at the receiving server, sent as `api_key`. */
            token: string;
        };
    };
    responses: {
        /** @description The `Accept` header excludes every media type that this operation returns. */
        NotAcceptable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid. Nothing changed. `attr` names the field. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing, unknown, expired or revoked. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key lacks the required scope, or its user lacks the required level. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The resource does not exist, or the caller cannot access it. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests. Retry after the number of seconds in `Retry-After`. */
        Throttled: {
            headers: {
                /** @description Seconds to wait before retrying. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal error. The message contains only a request id for support. */
        Failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server is temporarily unavailable. Retry after the number of seconds in `Retry-After`. */
        Unavailable: {
            headers: {
                /** @description Seconds to wait before retrying. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request body is too large. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The content type of the body is not supported. Send `application/json`. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The state of the resource does not allow the operation. `detail` says what to do first. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description The maximum number of results to return. */
        limit: number;
        /** @description The number of results to skip. */
        offset: number;
        /** @description The organization's id, or `@current` for the user's current organization. */
        organization_id: string;
        /** @description The project's id, or `@current` for the user's current project. */
        project_id: string;
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
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
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
            406: components["responses"]["NotAcceptable"];
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
            406: components["responses"]["NotAcceptable"];
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
            406: components["responses"]["NotAcceptable"];
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
            /** @description The organization is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
            406: components["responses"]["NotAcceptable"];
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
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
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
            406: components["responses"]["NotAcceptable"];
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
            406: components["responses"]["NotAcceptable"];
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
            406: components["responses"]["NotAcceptable"];
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
            /** @description The project is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
            406: components["responses"]["NotAcceptable"];
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organization_projects.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
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
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organization_projects.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationProjectCreate"];
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organization_projects.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` if the caller's current project is in the organization. */
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
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organization_projects.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` if the caller's current project is in the organization. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organization_projects.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` if the caller's current project is in the organization. */
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "organization_projects.reset_token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` if the caller's current project is in the organization. */
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "members.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Sort by join time, ascending or, with `-`, descending. */
                order?: "joined_at" | "-joined_at";
                /** @description Return only the member with exactly this email address. */
                email?: string;
                /** @description Return only members whose membership changed after this ISO 8601 time. */
                updated_after?: string;
                /** @description Return only members whose name or email address contains this text. Case-insensitive. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of members. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "members.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The `uuid` of the user, not the id of the membership, or `@me` for the caller. */
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is removed. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "members.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The `uuid` of the user, not the id of the membership, or `@me` for the caller. */
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MemberWrite"];
            };
        };
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "invites.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of invites. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitePage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "invites.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteCreate"];
            };
        };
        responses: {
            /** @description The invite. If email is not configured, it includes the signup token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteCreated"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "invites.bulk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteBulk"];
            };
        };
        responses: {
            /** @description The invite, or the invites. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteBulkCreated"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "invites.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the invite. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "domains.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of domains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "domains.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainCreate"];
            };
        };
        responses: {
            /** @description The domain, not verified yet. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "domains.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the domain. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "domains.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the domain. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "domains.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the domain. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DomainWrite"];
            };
        };
        responses: {
            /** @description The domain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "domains.verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the domain. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DomainWrite"];
            };
        };
        responses: {
            /** @description The domain, verified or not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainVerified"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "alerts.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of alerts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "alerts.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertCreate"];
            };
        };
        responses: {
            /** @description The alert. For a webhook, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "alerts.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alert. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "alerts.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alert is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "alerts.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AlertWrite"];
            };
        };
        responses: {
            /** @description The alert. With its secret if the URL has changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "alerts.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the alert. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertTest"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "activity_log.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The page to return. Use the value from `next`. */
                cursor?: string;
                /** @description Return only entries of this area, such as `members`. */
                area?: string;
                /** @description Return only entries of the user with this `uuid`. */
                user?: string;
                /** @description Return only entries about the item with this id. */
                item_id?: string;
                /** @description Return only entries after this time. Takes ISO 8601 or a relative time such as `-24h`. */
                after?: string;
                /** @description Return only entries before this time, in the formats of `after`. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
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
            /** @description The user. */
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
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "users.update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MeWrite"];
            };
        };
        responses: {
            /** @description The user. */
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "users.verify_email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailVerification"];
            };
        };
        responses: {
            /** @description The address is verified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "users.request_email_verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The email is sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "two_factor.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorStatus"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "two_factor.start_setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret, shown once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorSetup"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "two_factor.validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactor"];
            };
        };
        responses: {
            /** @description The backup codes, shown once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupCodes"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "two_factor.backup_codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TwoFactorProof"];
            };
        };
        responses: {
            /** @description The backup codes, shown once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupCodes"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "two_factor.disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TwoFactorProof"];
            };
        };
        responses: {
            /** @description Two-factor authentication is off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.end_others": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The other sessions have ended. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.end": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session's id. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.precheck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionPrecheck"];
            };
        };
        responses: {
            /** @description The sign-in methods of the address. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPrecheckResult"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionCreate"];
            };
        };
        responses: {
            /** @description Signed in. The response sets the session's cookies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.verify_second_factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactor"];
            };
        };
        responses: {
            /** @description Signed in. The response sets the session's cookies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.use_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkSignIn"];
            };
        };
        responses: {
            /** @description Signed in. The response sets the session's cookies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "password_reset.request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            /** @description An email is sent if the address has an account. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "password_reset.check": {
        parameters: {
            query: {
                /** @description The token from the emailed link. */
                token: string;
            };
            header?: never;
            path: {
                /** @description The `uuid` of the user, from the emailed link. */
                user_uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link works. */
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
    "password_reset.complete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `uuid` of the user, from the emailed link. */
                user_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordReset"];
            };
        };
        responses: {
            /** @description The password is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordResetResult"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "session.page": {
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
    "sso.begin": {
        parameters: {
            query?: {
                /** @description The email address of the user. */
                email?: string;
                /** @description The path to return to. */
                next?: string;
                /** @description The invite to accept. */
                invite_id?: string;
            };
            header?: never;
            path: {
                /** @description `google-oauth2`, `github`, `gitlab`, `oidc` or `saml`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Redirects to the page that the sign-in started from. A failure redirects to `/login` with an `error_code`:
             *     `invalid_sso_provider`, `improperly_configured_sso`, `sso_failed`, `sso_unavailable`, `state_mismatch`,
             *     `email_not_verified`, `sso_enforced`, `jit_not_enabled`, `no_new_organizations`, `invalid_invite` or
             *     `password_required`.
             */
            302: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sso.complete_saml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    SAMLResponse?: string;
                    RelayState?: string;
                };
            };
        };
        responses: {
            /**
             * @description Redirects to the page that the sign-in started from. A failure redirects to `/login` with an `error_code`:
             *     `invalid_sso_provider`, `improperly_configured_sso`, `sso_failed`, `sso_unavailable`, `state_mismatch`,
             *     `email_not_verified`, `sso_enforced`, `jit_not_enabled`, `no_new_organizations`, `invalid_invite` or
             *     `password_required`.
             */
            302: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sso.complete": {
        parameters: {
            query?: {
                /** @description The authorization code. */
                code?: string;
                /** @description The state of the request. */
                state?: string;
                /** @description The error from the provider. */
                error?: string;
            };
            header?: never;
            path: {
                /** @description `google-oauth2`, `github`, `gitlab` or `oidc`. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /**
             * @description Redirects to the page that the sign-in started from. A failure redirects to `/login` with an `error_code`:
             *     `invalid_sso_provider`, `improperly_configured_sso`, `sso_failed`, `sso_unavailable`, `state_mismatch`,
             *     `email_not_verified`, `sso_enforced`, `jit_not_enabled`, `no_new_organizations`, `invalid_invite` or
             *     `password_required`.
             */
            302: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sso.metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/xml": string;
                };
            };
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
            /** @description The API keys. */
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
            406: components["responses"]["NotAcceptable"];
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
            /** @description The API key with its value. */
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
            406: components["responses"]["NotAcceptable"];
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
            /** @description The API key. */
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
            406: components["responses"]["NotAcceptable"];
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
                /** @description The id of the key, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key. */
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
            406: components["responses"]["NotAcceptable"];
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
                /** @description The id of the key, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "api_keys.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the key, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiKeyWrite"];
            };
        };
        responses: {
            /** @description The API key. */
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
                /** @description The id of the key, not its value. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key with its new value. */
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "signup.retrieve": {
        parameters: {
            query: {
                /** @description The token from the invite link. */
                token: string;
            };
            header?: never;
            path: {
                /** @description The id of the invite. */
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
            406: components["responses"]["NotAcceptable"];
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
                /** @description The id of the invite. */
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
            /** @description The user who joined. */
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
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "signup.page": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the invite. */
                invite_id: string;
            };
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
    "integrations.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only integrations of this kind. */
                kind?: components["schemas"]["IntegrationKind"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of integrations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "integrations.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationCreate"];
            };
        };
        responses: {
            /** @description The integration. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "integrations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the integration. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "integrations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the integration. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration is deleted. */
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
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "integrations.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the integration. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IntegrationWrite"];
            };
        };
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "integrations.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the integration. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IntegrationTest"];
            };
        };
        responses: {
            /** @description The result of each step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationTest"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only exports whose name contains this text. Case-insensitive for ASCII letters. */
                search?: string;
                /** @description Return only exports that use the integration with this id. */
                integration?: string;
                /** @description Return only the export to which the run with this id belongs. */
                run?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of batch exports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationBatchExportCreate"];
            };
        };
        responses: {
            /** @description The batch export. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DestinationCreate"];
            };
        };
        responses: {
            /** @description The result of each step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationTest"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch export is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportWrite"];
            };
        };
        responses: {
            /** @description The batch export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.backfill": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchExportBackfill"];
            };
        };
        responses: {
            /** @description The batch export with the id of the backfill. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportBackfilled"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportPause"];
            };
        };
        responses: {
            /** @description The batch export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRun"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_exports.unpause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportUnpause"];
            };
        };
        responses: {
            /** @description The batch export and the events that it skips. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportUnpaused"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only exports whose name contains this text. Case-insensitive for ASCII letters. */
                search?: string;
                /** @description Return only exports that use the integration with this id. */
                integration?: string;
                /** @description Return only the export to which the run with this id belongs. */
                run?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of batch exports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchExportCreate"];
            };
        };
        responses: {
            /** @description The batch export. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DestinationCreate"];
            };
        };
        responses: {
            /** @description The result of each step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestinationTest"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryPreviewCreate"];
            };
        };
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryPreview"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch export is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportWrite"];
            };
        };
        responses: {
            /** @description The batch export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.backfill": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchExportBackfill"];
            };
        };
        responses: {
            /** @description The batch export with the id of the backfill. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportBackfilled"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportPause"];
            };
        };
        responses: {
            /** @description The batch export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRun"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.unpause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportUnpause"];
            };
        };
        responses: {
            /** @description The batch export and the events that it skips. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportUnpaused"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "project_batch_exports.logs": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only entries with this level. Case-insensitive. Can be repeated. */
                level?: components["schemas"]["BatchExportLogLevel"][];
                /** @description Return only entries whose message contains this text. Case-insensitive. */
                search?: string;
                /** @description Return only entries after this time. Takes ISO 8601 or a relative time such as `-24h`. */
                after?: string;
                /** @description Return only entries before this time. Takes ISO 8601 or a relative time such as `-24h`. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of log entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportLogEntryPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_runs.list": {
        parameters: {
            query?: {
                /** @description The page to return. Use the value from `next` or `previous`. */
                cursor?: string;
                /** @description The sort order. A leading `-` sorts in descending order. */
                ordering?: "created_at" | "-created_at" | "data_interval_start" | "-data_interval_start";
                /** @description Return only runs created at or after this time. Takes ISO 8601 or a relative time such as `-24h`. */
                after?: string;
                /** @description Return only runs created at or before this time. Takes ISO 8601 or a relative time such as `-24h`. */
                before?: string;
                /** @description Return only runs whose window starts at or after this time. Takes ISO 8601 or a relative time such as `-7d`. */
                start?: string;
                /** @description Return only runs whose window ends at or before this time. Takes ISO 8601 or a relative time such as `-7d`. */
                end?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRunPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_runs.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRun"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_runs.retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run that repeats the export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRun"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_runs.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRun"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_runs.logs": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only entries with this level. Case-insensitive. Can be repeated. */
                level?: components["schemas"]["BatchExportLogLevel"][];
                /** @description Return only entries whose message contains this text. Case-insensitive. */
                search?: string;
                /** @description Return only entries after this time. Takes ISO 8601 or a relative time such as `-24h`. */
                after?: string;
                /** @description Return only entries before this time. Takes ISO 8601 or a relative time such as `-24h`. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of log entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportLogEntryPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_backfills.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The page to return. Use the value from `next` or `previous`. */
                cursor?: string;
                /** @description Return only backfills with this status. Can be repeated. */
                status?: components["schemas"]["BackfillStatus"][];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of backfills. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_backfills.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackfillCreate"];
            };
        };
        responses: {
            /** @description The backfill. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_backfills.estimate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BackfillCreate"];
            };
        };
        responses: {
            /** @description The size of the backfill. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillEstimate"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_backfills.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the backfill. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backfill. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "batch_export_backfills.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the batch export. */
                batch_export_id: string;
                /** @description The id of the backfill. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backfill. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginCreate"];
            };
        };
        responses: {
            /** @description The plugin. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginWrite"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.check_for_updates": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin with its source code. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginWithSource"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.update_source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginSourceWrite"];
            };
        };
        responses: {
            /** @description The plugin with its source code. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginWithSource"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /** @description The fields of a plugin are accepted and ignored. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.activity": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins with their activity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginActivityPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.exports_unsubscribe_configs": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.repository": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the catalog. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogPluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_destinations.unused": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginCreate"];
            };
        };
        responses: {
            /** @description The plugin. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginWrite"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.check_for_updates": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin with its source code. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginWithSource"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.update_source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginSourceWrite"];
            };
        };
        responses: {
            /** @description The plugin with its source code. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginWithSource"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /** @description The fields of a plugin are accepted and ignored. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.activity": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins with their activity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginActivityPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.exports_unsubscribe_configs": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.repository": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the catalog. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogPluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_frontend_apps.unused": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginCreate"];
            };
        };
        responses: {
            /** @description The plugin. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginWrite"];
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.check_for_updates": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin with its source code. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginWithSource"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.update_source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginSourceWrite"];
            };
        };
        responses: {
            /** @description The plugin with its source code. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginWithSource"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The id of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        /** @description The fields of a plugin are accepted and ignored. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The plugin. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plugin"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.activity": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins with their activity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginActivityPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.exports_unsubscribe_configs": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.repository": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the catalog. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogPluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "pipeline_import_apps.unused": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the user's current organization. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugin configurations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginConfigPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginConfigCreate"];
            };
        };
        responses: {
            /** @description The configuration. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginConfig"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginTest"];
            };
        };
        responses: {
            /** @description The results. A plugin that fails is a result too. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginTestResult"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginConfig"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginConfigWrite"];
            };
        };
        responses: {
            /** @description The configuration. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginConfig"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.frontend": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An ES module. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/javascript": string;
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
    "plugin_configs.logs": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only entries of this type. Case-insensitive. Can be repeated. */
                type_filter?: components["schemas"]["PluginLogType"][];
                /** @description Return only entries whose message contains this text. Case-insensitive. */
                search?: string;
                /** @description Return only entries after this time. Takes ISO 8601 or a relative time such as `-24h`. */
                after?: string;
                /** @description Return only entries before this time. Takes ISO 8601 or a relative time such as `-24h`. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of log entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginLogEntryPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.metrics": {
        parameters: {
            query?: {
                /** @description Return only hours that end after this time. Takes ISO 8601 or a relative time. `-24h` by default. */
                after?: string;
                /** @description Return only hours that start before this time. Takes ISO 8601 or a relative time. Now by default. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginMetrics"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_configs.start_job": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginJobStart"];
            };
        };
        responses: {
            /** @description The job is queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginJobStarted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_failed_deliveries.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only deliveries to this function. */
                function?: components["schemas"]["PluginDeliveryFunction"];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of failed deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginFailedDeliveryPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_failed_deliveries.replay_all": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginReplayWrite"];
            };
        };
        responses: {
            /** @description The deliveries are queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginReplay"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_failed_deliveries.replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
                /** @description The id of the failed delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is queued. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginFailedDelivery"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_test_events.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of test events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginTestEventPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_test_events.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PluginTestEventCreate"];
            };
        };
        responses: {
            /** @description The test event. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginTestEvent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_test_events.run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginTestEventRunWrite"];
            };
        };
        responses: {
            /** @description The results. A test event that fails is a result too. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginTestEventRun"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_test_events.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
                /** @description The id of the test event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginTestEvent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_test_events.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
                /** @description The id of the test event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The test event is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "plugin_test_events.update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the configuration, not of the plugin. */
                plugin_config_id: number;
                /** @description The id of the test event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PluginTestEventWrite"];
            };
        };
        responses: {
            /** @description The test event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginTestEvent"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.list": {
        parameters: {
            query?: {
                /**
                 * @description Return only events after this time. Takes ISO 8601, RFC 822 (`Sat, 07 Jan 2012 20:00:00 +0200`), or a relative
                 *     time such as `-24h`, `-7d`, or `dStart` for the start of today.
                 */
                after?: string;
                /** @description Return only events before this time, in the formats of `after`. Five seconds from now by default. */
                before?: string;
                /** @description Return only events with this distinct id. */
                distinct_id?: string;
                /** @description Return only events with this name, or with one of these names. */
                event?: string | string[];
                /** @description The response format. `json` by default. */
                format?: "csv" | "json";
                /** @description The maximum number of results to return. By default 100, or 3,500 for CSV. */
                limit?: number;
                /** @description The number of results to skip. */
                offset?: components["parameters"]["offset"];
                /** @description Return only events of this person, by UUID or number. An unknown person has no events. */
                person_id?: string;
                /**
                 * @description Return only events whose properties match. JSON text: a list of `{key, value, operator, type}` conditions that
                 *     must all match, a group `{type: AND or OR, values}`, or an object of values by key. An invalid condition
                 *     returns 400, and the error names it.
                 */
                properties?: string | string[];
                /**
                 * @description HogQL expressions. Returns rows with these columns instead of events. Takes several values. Times are ISO 8601
                 *     in UTC.
                 */
                select?: string | string[];
                /** @description HogQL expressions that must all be true. Takes several values. */
                where?: string | string[];
                /**
                 * @description `-timestamp` for newest first (the default) or `timestamp` for oldest first. With `select`, HogQL expressions,
                 *     each with a leading `-` for descending order. Takes several values.
                 */
                orderBy?: string | string[];
                /** @description Whether to include the person of each event. True by default. False is faster. */
                include_person?: boolean;
                /** @description The position after the previous page. Use the value from `next`. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of events, or of rows if `select` is used. CSV has no `next`. */
            200: {
                headers: {
                    /** @description Marks the operation as deprecated. */
                    Deprecation?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.values": {
        parameters: {
            query?: {
                /** @description The response format. `json` by default. */
                format?: "csv" | "json";
                /** @description The property. `custom_event` returns the names of custom events. */
                key?: string;
                /** @description Return only values that contain this text. Case-insensitive. */
                value?: string;
                /** @description Use only events with this name, or with one of these names. Takes JSON text, repetition or brackets. */
                event_name?: string | string[];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventValues"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "query.run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryRequest"];
            };
        };
        responses: {
            /** @description The rows, with their columns. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryResponse"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.histogram": {
        parameters: {
            query?: {
                /** @description Count only events after this time, in the formats of the event list. By default 24 hours ago. */
                after?: string;
                /** @description Count only events before this time. Five seconds from now by default. */
                before?: string;
                /**
                 * @description The length of an interval. By default the shortest one that divides the time range into at most about 120. More
                 *     than 1,000 intervals return 400.
                 */
                interval?: "minute" | "hour" | "day" | "week";
                /** @description Return only events with this distinct id. */
                distinct_id?: string;
                /** @description Return only events with this name, or with one of these names. */
                event?: string | string[];
                /** @description Return only events of this person, by UUID or number. An unknown person has no events. */
                person_id?: string;
                /**
                 * @description Return only events whose properties match. JSON text: a list of `{key, value, operator, type}` conditions that
                 *     must all match, a group `{type: AND or OR, values}`, or an object of values by key. An invalid condition
                 *     returns 400, and the error names it.
                 */
                properties?: string | string[];
                /** @description HogQL expressions that must all be true. Takes several values. */
                where?: string | string[];
                /** @description The position after the previous page. Use the value from `next`. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts, oldest interval first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventHistogram"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.tail": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous response. */
                cursor?: string;
                /** @description The maximum number of events to return. By default 100. */
                limit?: number;
                /** @description Return only events with this distinct id. */
                distinct_id?: string;
                /** @description Return only events with this name, or with one of these names. */
                event?: string | string[];
                /** @description Return only events of this person, by UUID or number. An unknown person has no events. */
                person_id?: string;
                /**
                 * @description Return only events whose properties match. JSON text: a list of `{key, value, operator, type}` conditions that
                 *     must all match, a group `{type: AND or OR, values}`, or an object of values by key. An invalid condition
                 *     returns 400, and the error names it.
                 */
                properties?: string | string[];
                /** @description HogQL expressions that must all be true. Takes several values. */
                where?: string | string[];
                /** @description Whether to include the person of each event. True by default. False is faster. */
                include_person?: boolean;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTail"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.names": {
        parameters: {
            query?: {
                /** @description Count only events after this time, rounded down to the hour. By default 30 days ago. */
                after?: string;
                /** @description Return only names that contain this text. Case-insensitive. */
                search?: string;
                /** @description The maximum number of names to return. By default 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventNames"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.property_names": {
        parameters: {
            query?: {
                /** @description Whether to return properties of events (the default) or of persons. */
                type?: "event" | "person";
                /** @description Sample only events with this name, or with one of these names. */
                event?: string | string[];
                /** @description Return only names that contain this text. Case-insensitive. */
                search?: string;
                /** @description The maximum number of names to return. By default 100. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The names, most frequent first. `exact` is false, because they come from a sample. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventNames"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "events.retrieve": {
        parameters: {
            query?: {
                /** @description The response format. `json` by default. */
                format?: "csv" | "json";
                /** @description Whether to include the person of each event. True by default. False is faster. */
                include_person?: boolean;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The event's UUID. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "persons.list": {
        parameters: {
            query?: {
                /** @description The maximum number of results to return. */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Return only persons with a distinct id or an `email` property that starts with this text, or with this `id`. At
                 *     most 10,000 distinct ids and 10,000 email addresses are matched.
                 */
                search?: string;
                /** @description Return only the person with this distinct id. */
                distinct_id?: string;
                /** @description The page to return. Use the value from `next` or `previous`. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of persons. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonPage"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "persons.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the person. */
                id: string;
            };
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
                    "application/json": components["schemas"]["Person"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "persons.delete": {
        parameters: {
            query?: {
                /** @description Whether to also delete the events that arrived so far. False by default. */
                delete_events?: boolean;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the user's current project. */
                project_id: components["parameters"]["project_id"];
                /** @description The id of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person is deleted. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.capture_get": {
        parameters: {
            query?: {
                /** @description The events, as JSON text or compressed. */
                data?: string;
                /** @description The project token, if `data` does not contain it. */
                token?: string;
                /** @description An alias of `token`. */
                api_key?: string;
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.capture": {
        parameters: {
            query?: {
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CaptureBody"];
                "text/plain": components["schemas"]["CaptureText"];
                "application/x-www-form-urlencoded": components["schemas"]["CaptureForm"];
            };
        };
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.capture_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every origin is allowed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAllowed"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.batch_get": {
        parameters: {
            query?: {
                /** @description The events, as JSON text or compressed. */
                data?: string;
                /** @description The project token, if `data` does not contain it. */
                token?: string;
                /** @description An alias of `token`. */
                api_key?: string;
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.batch": {
        parameters: {
            query?: {
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CaptureBody"];
                "text/plain": components["schemas"]["CaptureText"];
                "application/x-www-form-urlencoded": components["schemas"]["CaptureForm"];
            };
        };
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.batch_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every origin is allowed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAllowed"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.e_get": {
        parameters: {
            query?: {
                /** @description The events, as JSON text or compressed. */
                data?: string;
                /** @description The project token, if `data` does not contain it. */
                token?: string;
                /** @description An alias of `token`. */
                api_key?: string;
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.e": {
        parameters: {
            query?: {
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CaptureBody"];
                "text/plain": components["schemas"]["CaptureText"];
                "application/x-www-form-urlencoded": components["schemas"]["CaptureForm"];
            };
        };
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.e_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every origin is allowed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAllowed"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.i_v0_e_get": {
        parameters: {
            query?: {
                /** @description The events, as JSON text or compressed. */
                data?: string;
                /** @description The project token, if `data` does not contain it. */
                token?: string;
                /** @description An alias of `token`. */
                api_key?: string;
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.i_v0_e": {
        parameters: {
            query?: {
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CaptureBody"];
                "text/plain": components["schemas"]["CaptureText"];
                "application/x-www-form-urlencoded": components["schemas"]["CaptureForm"];
            };
        };
        responses: {
            /** @description The events are stored, except those in `refused`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAccepted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.i_v0_e_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every origin is allowed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAllowed"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.decide": {
        parameters: {
            query?: {
                /** @description The response format that the SDK expects. Ignored, because the response contains all formats. */
                v?: string;
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CaptureConfigurationQuery"];
                "text/plain": components["schemas"]["CaptureText"];
                "application/x-www-form-urlencoded": components["schemas"]["CaptureForm"];
            };
        };
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureConfiguration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.decide_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every origin is allowed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAllowed"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.flags": {
        parameters: {
            query?: {
                /** @description The response format that the SDK expects. Ignored, because the response contains all formats. */
                v?: string;
                /**
                 * @description The compression of the data: `gzip`, `gzip-js`, `lz64` or `base64`. Takes precedence over the form field and over
                 *     `Content-Encoding`.
                 */
                compression?: string;
                /** @description Sent by browser SDKs. Ignored. */
                ip?: string;
                /** @description The version of the SDK. Ignored. */
                ver?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CaptureConfigurationQuery"];
                "text/plain": components["schemas"]["CaptureText"];
                "application/x-www-form-urlencoded": components["schemas"]["CaptureForm"];
            };
        };
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureConfiguration"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.flags_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every origin is allowed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureAllowed"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.array_config": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project token. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureConfiguration"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "capture.site_app": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the configuration. */
                plugin_config_id: string;
                /** @description The token of the configuration. Only `siteApps` of `/decide/` contains it. */
                web_token: string;
                /** @description Changes with the script, so that browsers can cache the response. Any text is accepted. */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A script. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/javascript": string;
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "instance.status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceStatus"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Unavailable"];
        };
    };
    "service.preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configured sign-in methods. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preflight"];
                };
            };
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
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
            /** @description The check passed. */
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
            /** @description The check passed. */
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
                    /** @description The version of the document, in this encoding. */
                    ETag?: string;
                    /** @description How long the document may be cached. */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The version in `If-None-Match` is the current one. The response has no body. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
    "service.docs_script": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A script. */
            200: {
                headers: {
                    /** @description The version of the document, in this encoding. */
                    ETag?: string;
                    /** @description How long the document may be cached. */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description The version in `If-None-Match` is the current one. The response has no body. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["Throttled"];
            500: components["responses"]["Failed"];
        };
    };
}
