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
         *     The slug comes from the name and stays. What `@current` means does not change.
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
         *     Needs level 8 there.
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
    "/api/organizations/{organization_id}/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List an organization's projects
         * @description The projects of the organization, oldest first.
         */
        get: operations["organization_projects.list"];
        put?: never;
        /**
         * Create a project in an organization
         * @description Makes a project with a token of its own. Needs level 8.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` where the caller's current project is in the organization. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a project of an organization
         * @description The project with its token.
         */
        get: operations["organization_projects.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a project of an organization
         * @description Removes the project and everything it holds. Its id is never used again. Needs level 8.
         */
        delete: operations["organization_projects.delete"];
        options?: never;
        head?: never;
        /**
         * Change a project of an organization
         * @description Changes the fields that are sent. Needs level 8.
         */
        patch: operations["organization_projects.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/{id}/reset_token/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` where the caller's current project is in the organization. */
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
         * Replace the token of a project of an organization
         * @description Gives the project a new token at once; senders that use the old one are refused from then on. Needs level 8.
         */
        patch: operations["organization_projects.reset_token"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/members/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List members
         * @description The people of the organization, latest to join first. Filters add up; people whose account is inactive are left out.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The `uuid` of the member's user, not the membership's id; or `@me` for the caller. */
                user__uuid: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Ends the membership; the person keeps the account and every other organization. Anybody but an owner may leave by
         *     removing themselves. Removing others takes level 8, and nobody removes a member above themselves: both are 403.
         *     No owner is removed, that is 400: demote them first.
         */
        delete: operations["members.remove"];
        options?: never;
        head?: never;
        /**
         * Change a member's level
         * @description Takes level 8, and reaches neither a member above the caller nor a level above the caller's own, so owners are
         *     made and demoted by owners. Nobody changes their own level; an organization therefore always keeps an owner.
         *     What breaks a rule is 403. Making somebody an owner takes nothing from the caller.
         */
        patch: operations["members.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List invites
         * @description The invites nobody has accepted yet, newest first. Expired ones stay until somebody deletes or replaces them.
         */
        get: operations["invites.list"];
        put?: never;
        /**
         * Invite somebody
         * @description Makes an invite that is valid for three days and mails its link, if mail is configured; the answer does not wait for
         *     the mail. Any member may invite, at most at their own level: a higher one is 403. Earlier invites to the same
         *     address are replaced. Inviting a present member is 400.
         *
         *     An organization sends an address at most 3 invites in an hour and 10 in a day, replaced and withdrawn ones included;
         *     one inviter sends it 10 and 20 through all of their organizations. Beyond that the answer is 429 with `Retry-After`.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite several people
         * @description Takes one invite, or an array of at most 20, and answers in kind: one invite, or an array in the order sent. The
         *     rules are those of a single invite. All are made or none is; `attr` begins with the place of the one to blame, as
         *     in `3__target_email`. Where no mail is configured, each answer carries its `signup_token`, as a single one does.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The invite's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Withdraw an invite
         * @description The link of the invite stops working at once. Any member may withdraw any invite of the organization.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List domains
         * @description The login domains of the organization by name, proven or not.
         */
        get: operations["domains.list"];
        put?: never;
        /**
         * Add a domain
         * @description Writes the domain down, unproven, with a challenge to publish in DNS before it is verified. A name stands once in an
         *     organization. `jit_provisioning_enabled` and `sso_enforcement` need a proven domain, so they are passed over here.
         *     Needs level 8.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The domain's id. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a domain
         * @description The domain with the challenge that proves it.
         */
        get: operations["domains.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a domain
         * @description Removes the domain, proven or not. Adding it again begins with a new challenge. Needs level 8.
         */
        delete: operations["domains.delete"];
        options?: never;
        head?: never;
        /**
         * Change a domain
         * @description Changes the fields that are sent; `domain` stays what it was at creation. On a domain that is not verified,
         *     `jit_provisioning_enabled` and `sso_enforcement` are 400 `verification_required`, whatever their value.
         *     Needs level 8.
         */
        patch: operations["domains.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/domains/{id}/verify/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The domain's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a domain
         * @description Looks for the domain's challenge in the TXT records of `_workspace-challenge.<domain>`; one must equal it exactly.
         *     Found, the domain is verified for good. Not found, or DNS failed: also 200, with `is_verified` false, so try later.
         *     A verified domain is 400 `already_verified`; one verified by another organization is 400 `already_claimed`.
         *     What the body says changes nothing. Needs level 8.
         */
        post: operations["domains.verify"];
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
         * Read the caller
         * @description The person behind the key, with what `@current` means for them. Any valid key will do.
         */
        get: operations["users.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the caller
         * @description Changes the caller's name, password, address and what `@current` means for them, all fields or none. Needs a key with
         *     `*` and without limits, or a session. A new password needs `current_password` if there is one, and ends the other
         *     sessions. A new address counts once the link that is mailed to it was opened; until then it is `pending_email`. An organization or project that the caller cannot see is 400 `does_not_exist`. A project outside the
         *     organization sent with it is 400. Nothing else moves `@current` while the caller can see it.
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
         * @description Takes the secret of a mailed link and marks the address as verified. A pending address becomes the user's address. It
         *     does not sign in. A secret that is unknown, used or expired is 400 `invalid_token`.
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
         * Request a verification mail
         * @description Mails a link that verifies the caller's pending address, or else their address. A server without mail is 400
         *     `email_not_available`. More than six mails a day are 429.
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
         * Read the caller's two-factor state
         * @description Whether two-factor authentication is on, and how many backup codes are left.
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
         * @description Creates a secret for an authenticator app and returns it as text, as an `otpauth:` URL and as a QR code. It counts once
         *     `two_factor_validate` gets a code made with it, within ten minutes. Already on is 400 `2fa_already_enabled`.
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
         * @description Takes a code of the authenticator app and returns ten backup codes, shown once. A wrong code is 400 `token_invalid`;
         *     without a setup of the last ten minutes it is 400 `setup_expired`.
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
         * @description Replaces the backup codes by ten new ones, shown once. Without two-factor authentication it is 400 `2fa_not_enabled`.
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
         * @description Needs the password or a code. A wrong password is 400 `incorrect_password`, a wrong code 400 `token_invalid`. Without
         *     two-factor authentication it is 400 `2fa_not_enabled`.
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
         * @description The caller's active sessions, most recently used first.
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
         * @description Ends every session of the caller except the session of the request. With a key it ends all of them.
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
         * @description Ends one of the caller's sessions, on every node at once.
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
         * Look up how an address signs in
         * @description Returns the single sign-on rules of the address's domain. The answer depends only on the domain, never on whether an
         *     account exists.
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
         * @description Creates a session and sets its cookies. A session works for every operation, has all scopes and the user's level.
         *     Unsafe methods with a session need the header `X-CSRF-Token` and an `Origin` of this server.
         *
         *     A wrong password, an unknown address and an account without a password are all 401 `invalid_credentials`. An account
         *     with two-factor authentication gets 401 `2fa_required`: continue with `POST /api/login/token/`. An address whose domain
         *     enforces single sign-on gets 400 `sso_enforced`. Repeated failures are 429. Signing in again while signed in replaces
         *     the session and renews the time that sensitive operations ask for.
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
         * @description Takes a code of the authenticator app or a backup code, and creates the session. The sign-in is identified by the
         *     cookie that the first step set, for ten minutes: after that, or without it, the answer is 400 `2fa_expired`. A wrong
         *     code is 400 `2fa_invalid`, and the next attempt must wait, or it is 400 `2fa_too_many_attempts`.
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
         * @description Takes the secret of a link that the operator's command printed. It works once, for one hour, and does not replace the
         *     second factor of an account that has one: the answer is then 401 `2fa_required`. A secret that is unknown, used or
         *     expired is 400 `invalid_token`.
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
         * @description Ends the session of the request and clears its cookies. With a key the answer is 403.
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
         * @description Mails a link that resets the password, valid once and for one hour. The answer is the same whether or not the address
         *     has an account. An address whose domain enforces single sign-on is 400 `sso_enforced`; a server without mail is 400
         *     `email_not_available`; more than six requests a day for one address are 429.
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
                /** @description The `uuid` of the user in the mailed link. */
                user_uuid: string;
            };
            cookie?: never;
        };
        /**
         * Check a reset link
         * @description Says whether a reset link still works. Every other case is 400 `invalid_token`.
         */
        get: operations["password_reset.check"];
        put?: never;
        /**
         * Set a new password
         * @description Sets the password, ends all sessions of the user and uses the link up. It does not sign in. The password is checked as
         *     everywhere: 400 `password_too_short`, `password_too_weak` or `max_length`.
         */
        post: operations["password_reset.complete"];
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
         *     return to, a path on this server. `invite_id` continues an invitation.
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
         * @description The provider redirects the browser here with a code. Creates the session and sets its cookies.
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
         * Read the SAML metadata
         * @description The service-provider metadata that an identity provider is configured with. It contains no secrets.
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
        /**
         * Change a key
         * @description Changes the fields that are sent; the value stays and is not shown. A key cannot change one that reaches further or
         *     lives longer than itself, nor let it do so. It may change itself.
         */
        patch: operations["api_keys.update"];
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
         * @description Joins the organization at the invite's level and uses the invite up. A new address gets an account and a first key.
         *
         *     An address that already has an account joins with that account's own key: one with the scope `*` that is not limited
         *     to organizations or projects, or the answer is 403. Its `@current` stays where it is. Without a key the answer is
         *     400 `account_exists`, with one exception: an account whose address was never verified (`is_email_verified` is false)
         *     is superseded when the secret came by mail. That account loses its address, keys and memberships, and nothing passes
         *     to the new one. A `signup_token` from an API answer supersedes nobody.
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
                /** @description The invite's id. */
                invite_id: string;
            };
            cookie?: never;
        };
        /**
         * The page of an invite's link
         * @description What a mailed link opens in a browser. The page is the same for every invite; it asks the API with the link's secret.
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
    "/api/organizations/{organization_id}/batch_exports/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List batch exports
         * @description The project's exports, newest first; in an organization, those of all its projects. Without secrets.
         */
        get: operations["batch_exports.list"];
        put?: never;
        /**
         * Create a batch export
         * @description Makes the export and its schedule. Nothing runs at once: the first run comes at the end of the current interval.
         *     For the past, start a backfill; to be sure of the destination, try it with `test` first.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a destination
         * @description Checks step by step whether the destination can be reached and written to, before anything is scheduled. What it
         *     writes it removes again, and nothing is stored here. A destination that fails is an answer too, with status 200.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a batch export
         * @description The export with its ten newest runs. The secrets of its destination are left out.
         */
        get: operations["batch_exports.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a batch export
         * @description Removes the export with its schedule and ends its backfills. What was delivered stays where it is.
         */
        delete: operations["batch_exports.delete"];
        options?: never;
        head?: never;
        /**
         * Change a batch export
         * @description Changes the fields that are sent; the schedule follows at once. Another interval loses and repeats no event. The
         *     destination's config is merged key by key over what is stored, then checked as a whole. Secrets that are not sent stay,
         *     unless the change sends them to another receiver (keys marked `x-secret-receiver`): then they must be sent again.
         */
        patch: operations["batch_exports.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/batch_exports/{id}/backfill/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver the past
         * @description Delivers the events whose own time lies in the range, one interval after the other, in files or rows beside the
         *     scheduled ones. At most 10,000 intervals. It appears among the runs; cancelling one of its runs ends it. Works on a
         *     paused export too.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch export
         * @description Stops scheduling runs. A run in progress continues. Events that arrived before the pause are not lost: they are
         *     exported when the export is unpaused. Pausing a paused export changes nothing. A body may be sent; its fields are
         *     ignored.
         */
        post: operations["batch_exports.pause"];
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpause a batch export
         * @description Schedules runs again. Events that arrived before the pause are exported first. Events that arrived during the pause
         *     are skipped, and the export's log says how many; with `backfill: true` they are exported too. Unpausing an export that
         *     is not paused changes nothing.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List batch exports
         * @description The project's exports, newest first; in an organization, those of all its projects. Without secrets.
         */
        get: operations["project_batch_exports.list"];
        put?: never;
        /**
         * Create a batch export
         * @description Makes the export and its schedule. Nothing runs at once: the first run comes at the end of the current interval.
         *     For the past, start a backfill; to be sure of the destination, try it with `test` first.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a destination
         * @description Checks step by step whether the destination can be reached and written to, before anything is scheduled. What it
         *     writes it removes again, and nothing is stored here. A destination that fails is an answer too, with status 200.
         */
        post: operations["project_batch_exports.test"];
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a batch export
         * @description The export with its ten newest runs. The secrets of its destination are left out.
         */
        get: operations["project_batch_exports.retrieve"];
        put?: never;
        post?: never;
        /**
         * Delete a batch export
         * @description Removes the export with its schedule and ends its backfills. What was delivered stays where it is.
         */
        delete: operations["project_batch_exports.delete"];
        options?: never;
        head?: never;
        /**
         * Change a batch export
         * @description Changes the fields that are sent; the schedule follows at once. Another interval loses and repeats no event. The
         *     destination's config is merged key by key over what is stored, then checked as a whole. Secrets that are not sent stay,
         *     unless the change sends them to another receiver (keys marked `x-secret-receiver`): then they must be sent again.
         */
        patch: operations["project_batch_exports.update"];
        trace?: never;
    };
    "/api/projects/{project_id}/batch_exports/{id}/backfill/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver the past
         * @description Delivers the events whose own time lies in the range, one interval after the other, in files or rows beside the
         *     scheduled ones. At most 10,000 intervals. It appears among the runs; cancelling one of its runs ends it. Works on a
         *     paused export too.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a batch export
         * @description Stops scheduling runs. A run in progress continues. Events that arrived before the pause are not lost: they are
         *     exported when the export is unpaused. Pausing a paused export changes nothing. A body may be sent; its fields are
         *     ignored.
         */
        post: operations["project_batch_exports.pause"];
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpause a batch export
         * @description Schedules runs again. Events that arrived before the pause are exported first. Events that arrived during the pause
         *     are skipped, and the export's log says how many; with `backfill: true` they are exported too. Unpausing an export that
         *     is not paused changes nothing.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        /**
         * Read a batch export's log
         * @description What the export and all its runs said about their work, newest first.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
            };
            cookie?: never;
        };
        /**
         * List runs
         * @description What the export has done and is doing, newest first, a hundred to a page. Follow `next` to its end: runs that
         *     begin meanwhile shift nothing. All runs are listed unless a time narrows them.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read a run
         * @description How one run stands, however old it is.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a run
         * @description Delivers once more exactly what the run holds. Where the destination can tell, nothing is there twice.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Stops a run that is `Starting` or `Running`; one that has ended is refused with 400. The schedule goes on. A run
         *     that belongs to a backfill ends the whole backfill.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
                run_id: string;
            };
            cookie?: never;
        };
        /**
         * Read a run's log
         * @description What the run said about its work, newest first.
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
    "/api/organizations/{organization_id}/pipeline_destinations/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins
         * @description The plugins of this family that the organization sees, oldest first: its own, the global ones of others, and what its projects
         *     have configured while it was global. Needs plugin access level 3.
         */
        get: operations["pipeline_destinations.list"];
        put?: never;
        /**
         * Install a plugin
         * @description Fetches the plugin that `url` names, or stores the code in `source`, or just the fields; nothing is run. What its
         *     `plugin.json` says wins over the other fields. It belongs to this family for good. An organization has each URL once.
         *     Needs plugin access level 6. Where `is_global` is true it needs level 8 and plugin access level 9.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin
         * @description One plugin of this family. Needs plugin access level 3.
         */
        get: operations["pipeline_destinations.retrieve"];
        put?: never;
        post?: never;
        /**
         * Uninstall a plugin
         * @description Removes the plugin, its code and its configurations in all projects; `activity` remembers that it was there. A global plugin is
         *     refused: set `is_global` to false first. Needs plugin access level 6.
         */
        delete: operations["pipeline_destinations.delete"];
        options?: never;
        head?: never;
        /**
         * Change a plugin
         * @description Changes the fields that are sent; the URL and the family stay. Only the organization that owns a plugin changes it.
         *     Needs plugin access level 6. Changing `is_global` needs level 8 and plugin access level 9.
         */
        patch: operations["pipeline_destinations.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/check_for_updates/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Look for a newer revision
         * @description Asks where the plugin came from for its newest revision and keeps it as `latest_tag`; the code stays as it is. One that was
         *     not fetched from elsewhere comes back unchanged. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin's code
         * @description The plugin with all its files as text. For the organization that owns it. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
         * Change a plugin's code
         * @description Writes the files that are sent and deletes those sent as null, all or none. Name and settings follow the new `plugin.json`,
         *     `capabilities` the new code. A `plugin.json` that is not valid is refused; code that does not parse is stored, and
         *     `source_errors` says what is wrong with it. Needs plugin access level 6.
         */
        patch: operations["pipeline_destinations.update_source"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_destinations/{id}/upgrade/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install the newest revision
         * @description Fetches the plugin anew and replaces its code and what its `plugin.json` says; `tag` and `latest_tag` become that revision.
         *     One that was not fetched from elsewhere comes back unchanged. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * See what was done to plugins
         * @description The plugins of this family to which somebody in the organization did something, the one touched last first, each with who did
         *     what to it or to its configurations; uninstalled ones too. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins that would stop
         * @description The plugins of this family that are switched on in a project of the organization and send its events elsewhere:
         *     what would fall silent without the pipeline. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * Browse the catalogue
         * @description The catalogue that ships with the server, in its own order and the same for every family. Nothing in it is installed;
         *     send an entry's `url` to create. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins nobody uses
         * @description The plugins of this family that the organization sees and that none of its projects has switched on. Needs plugin access
         *     level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins
         * @description The plugins of this family that the organization sees, oldest first: its own, the global ones of others, and what its projects
         *     have configured while it was global. Needs plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.list"];
        put?: never;
        /**
         * Install a plugin
         * @description Fetches the plugin that `url` names, or stores the code in `source`, or just the fields; nothing is run. What its
         *     `plugin.json` says wins over the other fields. It belongs to this family for good. An organization has each URL once.
         *     Needs plugin access level 6. Where `is_global` is true it needs level 8 and plugin access level 9.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin
         * @description One plugin of this family. Needs plugin access level 3.
         */
        get: operations["pipeline_frontend_apps.retrieve"];
        put?: never;
        post?: never;
        /**
         * Uninstall a plugin
         * @description Removes the plugin, its code and its configurations in all projects; `activity` remembers that it was there. A global plugin is
         *     refused: set `is_global` to false first. Needs plugin access level 6.
         */
        delete: operations["pipeline_frontend_apps.delete"];
        options?: never;
        head?: never;
        /**
         * Change a plugin
         * @description Changes the fields that are sent; the URL and the family stay. Only the organization that owns a plugin changes it.
         *     Needs plugin access level 6. Changing `is_global` needs level 8 and plugin access level 9.
         */
        patch: operations["pipeline_frontend_apps.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/check_for_updates/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Look for a newer revision
         * @description Asks where the plugin came from for its newest revision and keeps it as `latest_tag`; the code stays as it is. One that was
         *     not fetched from elsewhere comes back unchanged. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin's code
         * @description The plugin with all its files as text. For the organization that owns it. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
         * Change a plugin's code
         * @description Writes the files that are sent and deletes those sent as null, all or none. Name and settings follow the new `plugin.json`,
         *     `capabilities` the new code. A `plugin.json` that is not valid is refused; code that does not parse is stored, and
         *     `source_errors` says what is wrong with it. Needs plugin access level 6.
         */
        patch: operations["pipeline_frontend_apps.update_source"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_frontend_apps/{id}/upgrade/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install the newest revision
         * @description Fetches the plugin anew and replaces its code and what its `plugin.json` says; `tag` and `latest_tag` become that revision.
         *     One that was not fetched from elsewhere comes back unchanged. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * See what was done to plugins
         * @description The plugins of this family to which somebody in the organization did something, the one touched last first, each with who did
         *     what to it or to its configurations; uninstalled ones too. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins that would stop
         * @description The plugins of this family that are switched on in a project of the organization and send its events elsewhere:
         *     what would fall silent without the pipeline. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * Browse the catalogue
         * @description The catalogue that ships with the server, in its own order and the same for every family. Nothing in it is installed;
         *     send an entry's `url` to create. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins nobody uses
         * @description The plugins of this family that the organization sees and that none of its projects has switched on. Needs plugin access
         *     level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins
         * @description The plugins of this family that the organization sees, oldest first: its own, the global ones of others, and what its projects
         *     have configured while it was global. Needs plugin access level 3.
         */
        get: operations["pipeline_import_apps.list"];
        put?: never;
        /**
         * Install a plugin
         * @description Fetches the plugin that `url` names, or stores the code in `source`, or just the fields; nothing is run. What its
         *     `plugin.json` says wins over the other fields. It belongs to this family for good. An organization has each URL once.
         *     Needs plugin access level 6. Where `is_global` is true it needs level 8 and plugin access level 9.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin
         * @description One plugin of this family. Needs plugin access level 3.
         */
        get: operations["pipeline_import_apps.retrieve"];
        put?: never;
        post?: never;
        /**
         * Uninstall a plugin
         * @description Removes the plugin, its code and its configurations in all projects; `activity` remembers that it was there. A global plugin is
         *     refused: set `is_global` to false first. Needs plugin access level 6.
         */
        delete: operations["pipeline_import_apps.delete"];
        options?: never;
        head?: never;
        /**
         * Change a plugin
         * @description Changes the fields that are sent; the URL and the family stay. Only the organization that owns a plugin changes it.
         *     Needs plugin access level 6. Changing `is_global` needs level 8 and plugin access level 9.
         */
        patch: operations["pipeline_import_apps.update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/check_for_updates/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Look for a newer revision
         * @description Asks where the plugin came from for its newest revision and keeps it as `latest_tag`; the code stays as it is. One that was
         *     not fetched from elsewhere comes back unchanged. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin's code
         * @description The plugin with all its files as text. For the organization that owns it. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
         * Change a plugin's code
         * @description Writes the files that are sent and deletes those sent as null, all or none. Name and settings follow the new `plugin.json`,
         *     `capabilities` the new code. A `plugin.json` that is not valid is refused; code that does not parse is stored, and
         *     `source_errors` says what is wrong with it. Needs plugin access level 6.
         */
        patch: operations["pipeline_import_apps.update_source"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/pipeline_import_apps/{id}/upgrade/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install the newest revision
         * @description Fetches the plugin anew and replaces its code and what its `plugin.json` says; `tag` and `latest_tag` become that revision.
         *     One that was not fetched from elsewhere comes back unchanged. Needs plugin access level 6.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * See what was done to plugins
         * @description The plugins of this family to which somebody in the organization did something, the one touched last first, each with who did
         *     what to it or to its configurations; uninstalled ones too. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins that would stop
         * @description The plugins of this family that are switched on in a project of the organization and send its events elsewhere:
         *     what would fall silent without the pipeline. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * Browse the catalogue
         * @description The catalogue that ships with the server, in its own order and the same for every family. Nothing in it is installed;
         *     send an entry's `url` to create. Needs plugin access level 3.
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        /**
         * List plugins nobody uses
         * @description The plugins of this family that the organization sees and that none of its projects has switched on. Needs plugin access
         *     level 3.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List plugin configurations
         * @description The project's configurations in their `order`, switched on or not. Needs plugin access level 3.
         */
        get: operations["plugin_configs.list"];
        put?: never;
        /**
         * Configure a plugin
         * @description Gives the project a plugin that its organization sees, with settings checked against the plugin's `config_schema`.
         *     Secret settings are kept encrypted and never answered. Needs plugin access level 3.
         */
        post: operations["plugin_configs.create"];
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The configuration's id, not the plugin's. */
                id: number;
            };
            cookie?: never;
        };
        /**
         * Read a plugin configuration
         * @description The configuration with its plugin. Secret settings show a mask. Needs plugin access level 3.
         */
        get: operations["plugin_configs.retrieve"];
        put?: never;
        post?: never;
        /**
         * Remove a plugin configuration
         * @description Removes the configuration with its settings. The plugin stays installed. Needs plugin access level 3.
         */
        delete: operations["plugin_configs.delete"];
        options?: never;
        head?: never;
        /**
         * Change a plugin configuration
         * @description Changes the fields that are sent; `config` is replaced as a whole, but for secrets that come back masked. The plugin
         *     stays. Needs plugin access level 3.
         */
        patch: operations["plugin_configs.update"];
        trace?: never;
    };
    "/api/projects/{project_id}/events/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * List events
         * @deprecated
         * @description The project's events, newest first, those that pass every filter. Follow `next` until it is null: it passes over nothing
         *     and repeats nothing, also while events arrive.
         *
         *     Deprecated, and kept for clients that use it. To move many events, make a batch export: it delivers each one, on a
         *     schedule. To look something up, this is still the place; ask for no more than you need.
         *
         *     A parameter that takes several values reads them as JSON text (`event=["a","b"]`), repeated (`event=a&event=b`) or in
         *     brackets (`event[]=a&event[]=b`).
         *
         *     `action_id` and `token` are refused with `unsupported_parameter`.
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        /**
         * See which values events have
         * @description For suggestions while somebody types: with `key` the values of that property in recent events and how often each came,
         *     without it a sample of every field.
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
    "/api/projects/{project_id}/events/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The event's UUID. */
                id: string;
            };
            cookie?: never;
        };
        /**
         * Read an event
         * @description One event, with the person behind it.
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
    "/capture/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send events in the address
         * @description For senders that cannot post. The same as posting, with the events in `data`; no `data` is 400 `no_data`.
         */
        get: operations["capture.capture_get"];
        put?: never;
        /**
         * Send events
         * @description Takes one event, an array of events, or a batch, with the project's token inside, and answers once they are stored
         *     for good. One bad event refuses them all, with one exception: an event above 1 MiB is left out of its batch and listed
         *     in `refused`, because a 4xx would make senders repeat the rest; alone it is 400 `event_too_large`. An event whose `uuid`
         *     the project already has is stored no second time, so sending again is safe.
         *     At most 20 MiB, packed and unpacked, 1,000,000 values and 64 levels; `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are the
         *     same. Refused requests are limited per client address: then they are 429 with `Retry-After`.
         */
        post: operations["capture.capture"];
        delete?: never;
        /**
         * Ask whether a page may send
         * @description What a browser asks before it sends from another site. The answer's headers allow every site; nothing is stored.
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
         * Send events in the address
         * @description For senders that cannot post. The same as posting, with the events in `data`; no `data` is 400 `no_data`.
         */
        get: operations["capture.batch_get"];
        put?: never;
        /**
         * Send events
         * @description Takes one event, an array of events, or a batch, with the project's token inside, and answers once they are stored
         *     for good. One bad event refuses them all, with one exception: an event above 1 MiB is left out of its batch and listed
         *     in `refused`, because a 4xx would make senders repeat the rest; alone it is 400 `event_too_large`. An event whose `uuid`
         *     the project already has is stored no second time, so sending again is safe.
         *     At most 20 MiB, packed and unpacked, 1,000,000 values and 64 levels; `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are the
         *     same. Refused requests are limited per client address: then they are 429 with `Retry-After`.
         */
        post: operations["capture.batch"];
        delete?: never;
        /**
         * Ask whether a page may send
         * @description What a browser asks before it sends from another site. The answer's headers allow every site; nothing is stored.
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
         * Send events in the address
         * @description For senders that cannot post. The same as posting, with the events in `data`; no `data` is 400 `no_data`.
         */
        get: operations["capture.e_get"];
        put?: never;
        /**
         * Send events
         * @description Takes one event, an array of events, or a batch, with the project's token inside, and answers once they are stored
         *     for good. One bad event refuses them all, with one exception: an event above 1 MiB is left out of its batch and listed
         *     in `refused`, because a 4xx would make senders repeat the rest; alone it is 400 `event_too_large`. An event whose `uuid`
         *     the project already has is stored no second time, so sending again is safe.
         *     At most 20 MiB, packed and unpacked, 1,000,000 values and 64 levels; `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are the
         *     same. Refused requests are limited per client address: then they are 429 with `Retry-After`.
         */
        post: operations["capture.e"];
        delete?: never;
        /**
         * Ask whether a page may send
         * @description What a browser asks before it sends from another site. The answer's headers allow every site; nothing is stored.
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
         * Send events in the address
         * @description For senders that cannot post. The same as posting, with the events in `data`; no `data` is 400 `no_data`.
         */
        get: operations["capture.i_v0_e_get"];
        put?: never;
        /**
         * Send events
         * @description Takes one event, an array of events, or a batch, with the project's token inside, and answers once they are stored
         *     for good. One bad event refuses them all, with one exception: an event above 1 MiB is left out of its batch and listed
         *     in `refused`, because a 4xx would make senders repeat the rest; alone it is 400 `event_too_large`. An event whose `uuid`
         *     the project already has is stored no second time, so sending again is safe.
         *     At most 20 MiB, packed and unpacked, 1,000,000 values and 64 levels; `/capture/`, `/batch/`, `/e/` and `/i/v0/e/` are the
         *     same. Refused requests are limited per client address: then they are 429 with `Retry-After`.
         */
        post: operations["capture.i_v0_e"];
        delete?: never;
        /**
         * Ask whether a page may send
         * @description What a browser asks before it sends from another site. The answer's headers allow every site; nothing is stored.
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
         * Ask for the settings of a project
         * @description SDKs ask this before they send, with the project's token inside, in any form that `/capture/` takes. There are no feature
         *     flags here, so the answer is the same for every project and person; everything but the token is ignored. An unknown
         *     token is 401. Cookies are never read. `/decide/` and `/flags/` are the same.
         */
        post: operations["capture.decide"];
        delete?: never;
        /**
         * Ask whether a page may send
         * @description What a browser asks before it sends from another site. The answer's headers allow every site; nothing is stored.
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
         * Ask for the settings of a project
         * @description SDKs ask this before they send, with the project's token inside, in any form that `/capture/` takes. There are no feature
         *     flags here, so the answer is the same for every project and person; everything but the token is ignored. An unknown
         *     token is 401. Cookies are never read. `/decide/` and `/flags/` are the same.
         */
        post: operations["capture.flags"];
        delete?: never;
        /**
         * Ask whether a page may send
         * @description What a browser asks before it sends from another site. The answer's headers allow every site; nothing is stored.
         */
        options: operations["capture.flags_options"];
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
    "/docs/reference.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The script of the reference page
         * @description What `/docs` loads to draw itself. It comes from this process, so the page works without the internet.
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
            /** @description The caller's own level. 1 is a member, 8 an administrator, 15 an owner. */
            membership_level: (1 | 8 | 15) | null;
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
            /**
             * @description Only `UTC`. Times are stored and returned in UTC.
             * @enum {string}
             */
            timezone?: "UTC";
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
         * OrganizationProjectCreate
         * @description A new project of the organization in the path.
         */
        OrganizationProjectCreate: WithRequired<components["schemas"]["ProjectWrite"], "name">;
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
         * Member
         * @description A person in an organization.
         */
        Member: {
            /**
             * Format: uuid
             * @description The membership's id. Paths take the user's `uuid` instead.
             */
            id: string;
            user: components["schemas"]["User"];
            /**
             * @description 1 is a member, 8 an administrator, 15 an owner.
             * @enum {integer}
             */
            level: 1 | 8 | 15;
            /** Format: date-time */
            joined_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Always false, because there is no login here. */
            is_2fa_enabled: boolean;
            /** @description Always false, because there is no login here. */
            has_social_auth: boolean;
        };
        /**
         * MemberPage
         * @description One page of members.
         */
        MemberPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Member"][];
        };
        /**
         * MemberWrite
         * @description What a caller may set on a member.
         */
        MemberWrite: {
            /**
             * @description 1 is a member, 8 an administrator, 15 an owner.
             * @enum {integer}
             */
            level?: 1 | 8 | 15;
        };
        /**
         * Invite
         * @description An invitation to join an organization. Its id alone opens nothing; its link carries a secret.
         */
        Invite: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            target_email: string;
            /** @description Empty when none was given. */
            first_name: string;
            /** @description Whether a mail was tried. False where no mail is configured; true says nothing about its arrival. */
            emailing_attempt_made: boolean;
            /**
             * @description The level the person will join at. 1 is a member, 8 an administrator, 15 an owner.
             * @enum {integer}
             */
            level: 1 | 8 | 15;
            /** @description Whether its three days are over. */
            is_expired: boolean;
            /** @description Who invited; null when that person's account is gone. */
            created_by: components["schemas"]["User"] | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description What the inviter wrote into the mail; null for nothing. */
            message: string | null;
        };
        /**
         * InvitePage
         * @description One page of invites.
         */
        InvitePage: {
            /** @description How many there are in all. */
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
             * @description Compared without regard to case.
             */
            target_email: string;
            /** @description What the mail calls the person; absent, nothing. */
            first_name?: string;
            /**
             * @description The level to join at, not above the caller's own; absent, 1. 1 is a member, 8 an administrator, 15 an owner.
             * @enum {integer}
             */
            level?: 1 | 8 | 15;
            /** @description A text of your own for the mail. */
            message?: string | null;
        };
        /**
         * InviteCreated
         * @description A new invite. Where no mail is configured, its secret is shown here and never again.
         */
        InviteCreated: {
            /** @description The secret that signup asks for as `token`. Absent where mail is configured, for then the mail carries it. */
            signup_token?: string;
        } & components["schemas"]["Invite"];
        /**
         * InviteBulk
         * @description One invite, or an array of them.
         */
        InviteBulk: components["schemas"]["InviteCreate"] | components["schemas"]["InviteCreate"][];
        /**
         * InviteBulkCreated
         * @description One invite where one was sent, or an array in the order sent.
         */
        InviteBulkCreated: components["schemas"]["InviteCreated"] | components["schemas"]["InviteCreated"][];
        /**
         * SsoProvider
         * @description A provider that people sign in with.
         * @enum {string}
         */
        SsoProvider: "google-oauth2" | "github" | "gitlab" | "saml";
        /**
         * Domain
         * @description A login domain, proven by a DNS record.
         */
        Domain: {
            /** Format: uuid */
            id: string;
            /** @description Never changes. */
            domain: string;
            /** @description Whether it was proven. That never lapses. */
            is_verified: boolean;
            /**
             * Format: date-time
             * @description When it was proven; null until then.
             */
            verified_at: string | null;
            /** @description What to publish as a TXT record at `_workspace-challenge.<domain>`. Made at creation, never changes. */
            verification_challenge: string;
            /** @description Stored for clients that show it; without effect here, because there is no login. */
            jit_provisioning_enabled: boolean;
            /** @description The login provider, empty for none. Stored for clients that show it; without effect here, because there is no login. */
            sso_enforcement: components["schemas"]["SsoProvider"] | "";
            /** @description Whether all three SAML fields are filled. */
            has_saml: boolean;
            /** @description Stored for clients that show it; without effect here, because there is no login. */
            saml_entity_id: string | null;
            /** @description Stored for clients that show it; without effect here, because there is no login. */
            saml_acs_url: string | null;
            /** @description Stored for clients that show it; without effect here, because there is no login. */
            saml_x509_cert: string | null;
        };
        /**
         * DomainPage
         * @description One page of domains.
         */
        DomainPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Domain"][];
        };
        /**
         * DomainWrite
         * @description What a caller may set on a domain. All but the name is stored without effect here, because there is no login.
         */
        DomainWrite: {
            /** @description Lower case, without internationalised labels. Read at creation only; ignored afterwards. */
            domain?: string;
            /** @description Needs a verified domain. */
            jit_provisioning_enabled?: boolean;
            /** @description The login provider, empty for none. Needs a verified domain. */
            sso_enforcement?: components["schemas"]["SsoProvider"] | "";
            saml_entity_id?: string | null;
            /** @description Not checked to be a URL. */
            saml_acs_url?: string | null;
            /** @description Not checked to be a certificate. */
            saml_x509_cert?: string | null;
        };
        /**
         * DomainCreate
         * @description A new domain.
         */
        DomainCreate: WithRequired<components["schemas"]["DomainWrite"], "domain">;
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
            /** @description A new address that waits for its verification. */
            pending_email: string | null;
            has_password: boolean;
            /** @description Whether the user has signed in with a single sign-on provider. */
            has_social_auth: boolean;
            is_2fa_enabled: boolean;
            /** @description The value of `X-CSRF-Token` that unsafe methods of this session need; null with a key. */
            csrf_token: string | null;
            /**
             * Format: date-time
             * @description Sensitive operations of this session need a new sign-in after this time; null with a key.
             */
            reauthenticate_by: string | null;
        };
        /**
         * MeWrite
         * @description What the caller may change about themselves.
         */
        MeWrite: {
            first_name?: string;
            last_name?: string;
            /**
             * @description The id of an organization the caller belongs to. It becomes `@current`, and so does its oldest project unless
             *     `set_current_team` names another.
             */
            set_current_organization?: string;
            /** @description The id of a project the caller can see. It becomes `@current`, and so does its organization. */
            set_current_team?: number;
            /**
             * Format: email
             * @description A new address. It counts once the link mailed to it was opened; without mail on this server it counts at once.
             */
            email?: string;
            /** @description A new password, 8 to 256 characters. An account with a password also needs `current_password`. */
            password?: string;
            current_password?: string;
        };
        /**
         * EmailVerification
         * @description The secret of a mailed link.
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
         * @description The caller's two-factor state.
         */
        TwoFactorStatus: {
            is_enabled: boolean;
            /** @description How many backup codes are left. */
            backup_codes: number;
            /** @description `TOTP`, or null when it is off. */
            method: string | null;
        };
        /**
         * TwoFactorSetup
         * @description A secret for an authenticator app.
         */
        TwoFactorSetup: {
            /** @description The secret in base32, to type in by hand. */
            secret: string;
            otpauth_url: string;
            /** @description The URL as a QR code, an SVG image. */
            qr_code_svg: string;
        };
        /**
         * SecondFactor
         * @description A code of an authenticator app, or a backup code.
         */
        SecondFactor: {
            token: string;
        };
        /**
         * BackupCodes
         * @description Ten codes that each replace the authenticator app once.
         */
        BackupCodes: {
            /** @constant */
            success: true;
            backup_codes: string[];
        };
        /**
         * TwoFactorDisable
         * @description The password or a code. One of them is required.
         */
        TwoFactorDisable: {
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
            /** @description Whether it is the session of this request. */
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
             * @description The session ends then, or earlier when it is not used.
             */
            expires_at: string;
        };
        /**
         * SessionPage
         * @description One page of sessions.
         */
        SessionPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Session"][];
        };
        /**
         * SessionPrecheck
         * @description The address that is about to sign in.
         */
        SessionPrecheck: {
            /** Format: email */
            email: string;
        };
        /**
         * SessionPrecheckResult
         * @description How an address signs in.
         */
        SessionPrecheckResult: {
            /** @description The provider that the domain enforces, or null. */
            sso_enforcement: components["schemas"]["SsoProvider"] | null;
            /** @description Whether the domain has SAML. */
            saml_available: boolean;
        };
        /**
         * SessionCreate
         * @description An address and its password.
         */
        SessionCreate: {
            /** Format: email */
            email: string;
            password: string;
        };
        /**
         * LinkSignIn
         * @description The secret of a one-time sign-in link.
         */
        LinkSignIn: {
            /** @description The part of the link behind `#`. */
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
         * @description A new password, with the secret of the mailed link.
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
         * ApiKeyWrite
         * @description What a caller may set on a key. A key never reaches further or lives longer than the key that sets it.
         */
        ApiKeyWrite: {
            label?: string;
            /** @description At least one. */
            scopes?: components["schemas"]["Scope"][];
            /** @description Limit the key to these projects; empty for no limit. Such a key works on project paths only. */
            scoped_teams?: number[];
            /** @description Limit the key to these organizations; empty for no limit. */
            scoped_organizations?: string[];
            /** @description When the key stops working; null for never. */
            expires_at?: string | null;
        };
        /**
         * ApiKeyCreate
         * @description A new key. It never exceeds the key that makes it.
         */
        ApiKeyCreate: WithRequired<components["schemas"]["ApiKeyWrite"], "label" | "scopes">;
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
            /**
             * @description Whether accepting the invite without a key disables an account that has this address but never proved it. Nothing of
             *     that account passes to the new one. To keep the account, accept the invite with its key.
             */
            supersedes_account: boolean;
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
            /** @description The new person's password, 8 to 256 characters. With it the answer sets a session's cookies and `api_key` is null. */
            password?: string;
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
         * FileFormat
         * @description One JSON object per line, or Apache Parquet. Absent, `JSONLines`.
         * @enum {string}
         */
        FileFormat: "JSONLines" | "Parquet";
        /**
         * FileCompression
         * @description How files are compressed. JSON lines take `gzip` and `brotli`, Parquet takes all five.
         * @enum {string}
         */
        FileCompression: "gzip" | "brotli" | "zstd" | "lz4" | "snappy";
        /**
         * S3Settings
         * @description A bucket on Amazon S3, or on any store that speaks its protocol. Without secrets, as it is answered.
         */
        S3Settings: {
            bucket_name: string;
            /** @description Such as `us-east-1`, or what the store has in its place. */
            region: string;
            /**
             * @description What object keys begin with; may hold the variables
             *     `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}`, `{second}` of the window's end,
             *     `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Absent or null, not at all. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description Begin a new file at about this many megabytes and write a manifest that lists them all; absent, 0 or null for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description How the store encrypts the objects; absent or null, as the bucket is set. */
            encryption?: ("AES256" | "aws:kms") | null;
            /** @description The key to encrypt with. Needed with `aws:kms`, without meaning otherwise. */
            kms_key_id?: string | null;
            /**
             * Format: uri
             * @description Where the store answers; absent or null, Amazon's own address for the region.
             */
            endpoint_url?: string | null;
            /** @description Whether the bucket stands in the host name instead of the path. Absent, false. */
            use_virtual_style_addressing?: boolean;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * S3Destination
         * @description Where a batch export of the type `S3` delivers to, without the secrets.
         */
        S3Destination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "S3";
            config: components["schemas"]["S3Settings"];
        };
        /**
         * AzureBlobSettings
         * @description A container in Azure Blob Storage. Without secrets, as it is answered.
         */
        AzureBlobSettings: {
            container_name: string;
            /**
             * @description What blob names begin with, absent nothing; may hold the variables
             *     `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}`, `{second}` of the window's end,
             *     `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix?: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Absent or null, not at all. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description Begin a new file at about this many megabytes and write a manifest that lists them all; absent, 0 or null for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * AzureBlobDestination
         * @description Where a batch export of the type `AzureBlob` delivers to, without the secrets.
         */
        AzureBlobDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "AzureBlob";
            config: components["schemas"]["AzureBlobSettings"];
        };
        /**
         * FileConfig
         * @description Files on the server itself, in a folder of the export's own. Works with nothing else installed.
         */
        FileConfig: {
            /**
             * @description Where below that folder, absent directly in it, never with `..`; may hold the variables
             *     `{year}`, `{month}`, `{day}`, `{hour}`, `{minute}`, `{second}` of the window's end,
             *     `{data_interval_start}`, `{data_interval_end}` and `{table}`.
             */
            prefix?: string;
            file_format?: components["schemas"]["FileFormat"];
            /** @description Absent or null, not at all. */
            compression?: components["schemas"]["FileCompression"] | null;
            /**
             * @description Begin a new file at about this many megabytes and write a manifest that lists them all; absent, 0 or null for
             *     one file per run.
             */
            max_file_size_mb?: number | null;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * FileDestination
         * @description Where a batch export of the type `File` delivers to.
         */
        FileDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "File";
            config: components["schemas"]["FileConfig"];
        };
        /**
         * PostgresSettings
         * @description A table in a PostgreSQL database, reached over TLS. Without secrets, as it is answered.
         */
        PostgresSettings: {
            host: string;
            /** @description Absent, 5432. */
            port?: number;
            database: string;
            /** @description Absent, `public`. */
            schema?: string;
            /** @description Made when it is missing. Absent, `events`. */
            table_name?: string;
            /** @description Whether to accept a certificate that no authority signed. Absent, false. */
            has_self_signed_cert?: boolean;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * PostgresDestination
         * @description Where a batch export of the type `Postgres` delivers to, without the secrets.
         */
        PostgresDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Postgres";
            config: components["schemas"]["PostgresSettings"];
        };
        /**
         * RedshiftSettings
         * @description A table in Amazon Redshift. Not served yet. Without secrets, as it is answered.
         */
        RedshiftSettings: {
            host: string;
            /** @description Absent, 5439. */
            port?: number;
            database: string;
            /** @description Absent, `public`. */
            schema?: string;
            /** @description Made when it is missing. Absent, `events`. */
            table_name?: string;
            /** @description Whether to accept a certificate that no authority signed. Absent, false. */
            has_self_signed_cert?: boolean;
            /**
             * @description The type of the JSON columns. Absent, `varchar`.
             * @enum {string}
             */
            properties_data_type?: "varchar" | "super";
            /**
             * @description Insert rows, or copy them from files in a bucket. Absent, `INSERT`.
             * @enum {string}
             */
            mode?: "INSERT" | "COPY";
            /** @description The bucket to copy from. A key pair in it is left out. */
            copy_inputs?: {
                s3_bucket: string;
                region_name: string;
                s3_key_prefix?: string;
                /** @description The name of an IAM role; an empty object for a key pair. */
                authorization?: string | {
                    [key: string]: unknown;
                };
                /** @description Always empty. */
                bucket_credentials?: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * RedshiftDestination
         * @description Where a batch export of the type `Redshift` delivers to, without the secrets. Not served yet.
         */
        RedshiftDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Redshift";
            config: components["schemas"]["RedshiftSettings"];
        };
        /**
         * BigQuerySettings
         * @description A table in Google BigQuery, with what the service account's JSON file holds. Not served yet. Without secrets, as it is answered.
         */
        BigQuerySettings: {
            project_id: string;
            dataset_id: string;
            /** @description Absent, `events`. */
            table_id?: string;
            /** @description Whether JSON columns have the type JSON instead of STRING. Absent, false. */
            use_json_type?: boolean;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * BigQueryDestination
         * @description Where a batch export of the type `BigQuery` delivers to, without the secrets. Not served yet.
         */
        BigQueryDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "BigQuery";
            config: components["schemas"]["BigQuerySettings"];
        };
        /**
         * SnowflakeSettings
         * @description A table in Snowflake. Not served yet. Without secrets, as it is answered.
         */
        SnowflakeSettings: {
            /**
             * @description What proves the user, `password` or `private_key` below. Absent, `password`.
             * @enum {string}
             */
            authentication_type?: "password" | "keypair";
            account: string;
            database: string;
            warehouse: string;
            schema: string;
            /** @description Absent, `events`. */
            table_name?: string;
            /** @description Absent or null, the user's own. */
            role?: string | null;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * SnowflakeDestination
         * @description Where a batch export of the type `Snowflake` delivers to, without the secrets. Not served yet.
         */
        SnowflakeDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "Snowflake";
            config: components["schemas"]["SnowflakeSettings"];
        };
        /**
         * HTTPSettings
         * @description A server that takes batches of events at `/batch/`, this one included. Without secrets, as it is answered.
         */
        HTTPSettings: {
            /**
             * Format: uri
             * @description Where batches are posted to, path included.
             */
            url: string;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * HTTPDestination
         * @description Where a batch export of the type `HTTP` delivers to, without the secrets.
         */
        HTTPDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "HTTP";
            config: components["schemas"]["HTTPSettings"];
        };
        /**
         * NoOpConfig
         * @description Nowhere. The events are read and counted, to try a schedule or a query.
         */
        NoOpConfig: {
            /** @description Without meaning. Absent, empty. */
            arg?: string;
            /** @description Deliver events of these names only; absent, empty or null for all. */
            include_events?: string[] | null;
            /** @description Leave out events of these names, even where `include_events` has them. */
            exclude_events?: string[] | null;
        };
        /**
         * NoOpDestination
         * @description Where a batch export of the type `NoOp` delivers to.
         */
        NoOpDestination: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "NoOp";
            config: components["schemas"]["NoOpConfig"];
        };
        /**
         * Destination
         * @description Where a batch export delivers to. `type` decides which settings `config` has; secrets are left out.
         */
        Destination: components["schemas"]["S3Destination"] | components["schemas"]["AzureBlobDestination"] | components["schemas"]["FileDestination"] | components["schemas"]["PostgresDestination"] | components["schemas"]["RedshiftDestination"] | components["schemas"]["BigQueryDestination"] | components["schemas"]["SnowflakeDestination"] | components["schemas"]["HTTPDestination"] | components["schemas"]["NoOpDestination"];
        /**
         * BatchExportInterval
         * @description How often it runs and how much one run holds, aligned in UTC. A week begins on Sunday at 00:00.
         * @enum {string}
         */
        BatchExportInterval: "hour" | "day" | "week" | "every 5 minutes" | "every 15 minutes";
        /**
         * BatchExportRunStatus
         * @description How a run stands. `Starting` and `Running` go on; all others are final. `Failed` would fail again until somebody
         *     mends the cause, `FailedRetryable` ran out of attempts. The last three are kept for clients that know them.
         * @enum {string}
         */
        BatchExportRunStatus: "Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew";
        /**
         * BatchExportRun
         * @description One delivery of one window of events.
         */
        BatchExportRun: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["BatchExportRunStatus"];
            /** @description How many events were delivered so far; null before the first. */
            records_completed: number | null;
            /** @description What went wrong last, in words; null when nothing did. */
            latest_error: string | null;
            /**
             * Format: date-time
             * @description Where the window begins. The moment itself belongs to it.
             */
            data_interval_start: string;
            /**
             * Format: date-time
             * @description Where the window ends. The moment itself belongs to the next one.
             */
            data_interval_end: string;
            /** @description Always null. */
            cursor: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended, whichever way; null while it has not.
             */
            finished_at: string | null;
            /** Format: date-time */
            last_updated_at: string;
            /** @description How many events the window holds; null while nobody has counted. */
            records_total_count: number | null;
            /**
             * Format: uuid
             * @description The id of the batch export it belongs to.
             */
            batch_export: string;
        };
        /**
         * BatchExport
         * @description A scheduled delivery of a project's events to a destination.
         */
        BatchExport: {
            /** Format: uuid */
            id: string;
            /** @description The id of the project whose events it delivers. */
            team_id: number;
            /** @description Not unique. */
            name: string;
            destination: components["schemas"]["Destination"];
            interval: components["schemas"]["BatchExportInterval"];
            /** @description Whether the schedule rests. A paused export can still be backfilled. */
            paused: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_updated_at: string;
            /**
             * Format: date-time
             * @description When it was last paused, kept after it is unpaused; null if it never was. Set by the server; ignored in requests.
             */
            last_paused_at: string | null;
            /**
             * Format: date-time
             * @description No scheduled run begins before this time; null for no bound.
             */
            start_at: string | null;
            /**
             * Format: date-time
             * @description No scheduled run begins after this time; null for no bound.
             */
            end_at: string | null;
            /** @description The ten newest runs, newest first. */
            latest_runs: components["schemas"]["BatchExportRun"][];
            /** @description The SELECT that decides columns and rows, as sent; null for the destination's own columns and all rows. */
            hogql_query: string | null;
            /** @description What `hogql_query` was understood as; null without one. */
            schema: {
                /** @description The columns, in the order of the query. */
                fields: {
                    /** @description Canonical HogQL. */
                    expression: string;
                    /** @description The column's name in what is delivered. */
                    alias: string;
                }[];
                /** @description The literals that the expressions refer to, by name. */
                values: {
                    [key: string]: unknown;
                };
                /** @description The whole query in canonical form, on one line. */
                hogql_query: string;
            } | null;
        };
        /**
         * BatchExportPage
         * @description One page of batch exports.
         */
        BatchExportPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["BatchExport"][];
        };
        /**
         * BatchExportFields
         * @description What a caller may set on a batch export, besides its destination.
         */
        BatchExportFields: {
            name?: string;
            interval?: components["schemas"]["BatchExportInterval"];
            /**
             * @description Absent at creation, false. True pauses the export as the pause action does, false unpauses it as the unpause action
             *     does without `backfill`.
             */
            paused?: boolean;
            /** @description No scheduled run begins before this time; null for no bound. Any ISO 8601 time, UTC without a zone. */
            start_at?: string | null;
            /** @description No scheduled run begins after this time; null for no bound. Any ISO 8601 time, UTC without a zone. */
            end_at?: string | null;
            /**
             * @description A SELECT from `events` that decides columns and rows, without joins, unions or sub-queries; null for the
             *     destination's own columns and all rows.
             */
            hogql_query?: string | null;
            /**
             * @description What is exported. Only events so far.
             * @enum {string}
             */
            model?: "events";
            /** @description Not supported yet. Only an empty list or null is taken; `hogql_query` can filter rows. */
            filters?: unknown[] | null;
            /** @description The time zone of the intervals. Only UTC so far. */
            timezone?: "UTC" | null;
            /** @description Not supported yet. Weeks begin on Sunday. */
            offset_day?: 0 | null;
            /** @description Not supported yet. Days and weeks begin at 00:00. */
            offset_hour?: 0 | null;
        };
        /**
         * S3Config
         * @description A bucket on Amazon S3, or on any store that speaks its protocol.
         */
        S3Config: {
            aws_access_key_id: string;
            aws_secret_access_key: string;
        } & components["schemas"]["S3Settings"];
        /**
         * S3DestinationCreate
         * @description A destination of the type `S3` in full, with its secrets.
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
         * AzureBlobConfig
         * @description A container in Azure Blob Storage.
         */
        AzureBlobConfig: {
            /** @description The storage account's connection string, as Azure shows it. */
            connection_string: string;
        } & components["schemas"]["AzureBlobSettings"];
        /**
         * AzureBlobDestinationCreate
         * @description A destination of the type `AzureBlob` in full, with its secrets.
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
         * @description A destination of the type `File` in full.
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
         * @description A table in a PostgreSQL database, reached over TLS.
         */
        PostgresConfig: {
            user: string;
            password: string;
        } & components["schemas"]["PostgresSettings"];
        /**
         * PostgresDestinationCreate
         * @description A destination of the type `Postgres` in full, with its secrets.
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
         * @description An access key of Amazon Web Services.
         */
        AwsKeyPair: {
            aws_access_key_id: string;
            aws_secret_access_key: string;
        };
        /**
         * RedshiftConfig
         * @description A table in Amazon Redshift. Not served yet.
         */
        RedshiftConfig: {
            user: string;
            password: string;
            /** @description The bucket to copy from. Needed with the mode `COPY`, without meaning otherwise. */
            copy_inputs?: {
                s3_bucket: string;
                region_name: string;
                /** @description What object keys begin with. Absent, nothing. */
                s3_key_prefix?: string;
                /** @description How Redshift reads the bucket, by the name of an IAM role or with a key pair. */
                authorization: string | components["schemas"]["AwsKeyPair"];
                bucket_credentials: components["schemas"]["AwsKeyPair"];
            } | null;
        } & components["schemas"]["RedshiftSettings"];
        /**
         * RedshiftDestinationCreate
         * @description A destination of the type `Redshift` in full, with its secrets. Not served yet.
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
         * BigQueryConfig
         * @description A table in Google BigQuery, with what the service account's JSON file holds. Not served yet.
         */
        BigQueryConfig: {
            private_key: string;
            private_key_id: string;
            client_email: string;
            token_uri: string;
        } & components["schemas"]["BigQuerySettings"];
        /**
         * BigQueryDestinationCreate
         * @description A destination of the type `BigQuery` in full, with its secrets. Not served yet.
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
         * @description A table in Snowflake. Not served yet.
         */
        SnowflakeConfig: {
            user: string;
            /** @description Needed for `password`. */
            password?: string;
            /** @description Needed for `keypair`. */
            private_key?: string;
            /** @description Needed where the private key is encrypted. */
            private_key_passphrase?: string;
        } & components["schemas"]["SnowflakeSettings"];
        /**
         * SnowflakeDestinationCreate
         * @description A destination of the type `Snowflake` in full, with its secrets. Not served yet.
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
         * @description A server that takes batches of events at `/batch/`, this one included.
         */
        HTTPConfig: {
            /** @description The project token the other server knows, sent as `api_key`. */
            token: string;
        } & components["schemas"]["HTTPSettings"];
        /**
         * HTTPDestinationCreate
         * @description A destination of the type `HTTP` in full, with its secrets.
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
         * @description A destination of the type `NoOp` in full.
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
         * DestinationCreate
         * @description A destination in full, with its secrets. `type` decides which settings `config` takes: an unknown, missing or wrong one is
         *     refused by name. Without `config`, all settings are absent.
         */
        DestinationCreate: components["schemas"]["S3DestinationCreate"] | components["schemas"]["AzureBlobDestinationCreate"] | components["schemas"]["FileDestinationCreate"] | components["schemas"]["PostgresDestinationCreate"] | components["schemas"]["RedshiftDestinationCreate"] | components["schemas"]["BigQueryDestinationCreate"] | components["schemas"]["SnowflakeDestinationCreate"] | components["schemas"]["HTTPDestinationCreate"] | components["schemas"]["NoOpDestinationCreate"];
        /**
         * BatchExportCreate
         * @description A new batch export.
         */
        BatchExportCreate: {
            name: string;
            destination: components["schemas"]["DestinationCreate"];
            interval: components["schemas"]["BatchExportInterval"];
        } & WithRequired<components["schemas"]["BatchExportFields"], "name" | "interval">;
        /**
         * OrganizationBatchExportCreate
         * @description A new batch export in one of the organization's projects.
         */
        OrganizationBatchExportCreate: {
            /** @description The id of the project whose events it delivers; absent, the organization's oldest project. */
            team_id?: number;
        } & components["schemas"]["BatchExportCreate"];
        /**
         * DestinationTest
         * @description Whether a destination can be reached and written to, step by step.
         */
        DestinationTest: {
            /** @description Whether no step failed. */
            passed: boolean;
            /** @description In the order they were tried. After a failure the rest is skipped. */
            steps: {
                /** @description What was tried. */
                name: string;
                /** @enum {string} */
                status: "passed" | "failed" | "skipped";
                /** @description What came of it, in words. Never what the other side said. */
                detail: string;
            }[];
        };
        /**
         * DestinationType
         * @description What kind of place it is. `BigQuery`, `Redshift` and `Snowflake` are described here but not served yet: an export
         *     to one of them is refused with the code `unsupported_destination`.
         * @enum {string}
         */
        DestinationType: "S3" | "AzureBlob" | "File" | "Postgres" | "Redshift" | "BigQuery" | "Snowflake" | "HTTP" | "NoOp";
        /**
         * DestinationWrite
         * @description A change of a destination. Without `type` it keeps the one it has; another type brings a config of its own.
         */
        DestinationWrite: {
            type?: components["schemas"]["DestinationType"];
            /**
             * @description The settings to change, checked against the schema `<type>Config`: an unknown, missing or wrong key is refused by name.
             *     They are merged key by key over what is stored; secrets are kept while their receiver stays the same.
             */
            config?: {
                [key: string]: unknown;
            };
        };
        /**
         * BatchExportWrite
         * @description A change of a batch export.
         */
        BatchExportWrite: {
            destination?: components["schemas"]["DestinationWrite"];
        } & components["schemas"]["BatchExportFields"];
        /**
         * BatchExportBackfill
         * @description The range of event times to deliver again. Any ISO 8601 times, UTC without a zone.
         */
        BatchExportBackfill: {
            /**
             * @description The first moment that belongs to it.
             * @example 2026-11-01T00:00:00Z
             */
            start_at: string;
            /**
             * @description The first moment that does not; after `start_at` and not after now.
             * @example 2026-11-02T00:00:00Z
             */
            end_at: string;
        };
        /**
         * BatchExportBackfilled
         * @description The batch export, with the backfill that was started.
         */
        BatchExportBackfilled: {
            /** @description Names the backfill. The same range asked for again while it is under way has the same id. */
            backfill_id: string;
        } & components["schemas"]["BatchExport"];
        /**
         * BatchExportPause
         * @description Nothing to set. The fields of a batch export may be sent; they are ignored.
         */
        BatchExportPause: {
            [key: string]: unknown;
        };
        /**
         * BatchExportUnpause
         * @description How to go on after a pause.
         */
        BatchExportUnpause: {
            /** @description True exports the events that arrived during the pause too. False or absent skips them. */
            backfill?: boolean;
        };
        /**
         * BatchExportLogLevel
         * @description How much a log entry matters, least first.
         * @enum {string}
         */
        BatchExportLogLevel: "DEBUG" | "LOG" | "INFO" | "WARNING" | "ERROR";
        /**
         * BatchExportLogEntry
         * @description One line of what a batch export said about its work.
         */
        BatchExportLogEntry: {
            /** @description The id of the project it belongs to. */
            team_id: number;
            /** Format: uuid */
            batch_export_id: string;
            /** @description The id of the run it is about; empty when it is about none. */
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
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["BatchExportLogEntry"][];
        };
        /**
         * BatchExportRunPage
         * @description One page of runs. They are not counted.
         */
        BatchExportRunPage: {
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["BatchExportRun"][];
        };
        /**
         * Plugin
         * @description Code that an organization installed. It is stored and inspected here, never run.
         */
        Plugin: {
            id: number;
            /**
             * @description Where the code came from. `custom` was fetched by its URL, `repository` is the same but chosen from the catalogue,
             *     `local` is a folder on the server, `source` was sent as text; null when nobody said.
             */
            plugin_type: ("local" | "custom" | "repository" | "source") | null;
            name: string | null;
            description: string | null;
            /** @description What it was installed from, without its query, so that no token comes back; null where there is none. */
            url: string | null;
            /** @description URL of a picture. */
            icon: string | null;
            /** @description The settings the plugin takes. A list of fields, or in older plugins an object from key to field. */
            config_schema: {
                [key: string]: unknown;
            }[] | {
                [key: string]: unknown;
            };
            /** @description The installed revision, such as a commit or a package version. */
            tag: string | null;
            /** @description The newest revision known. `check_for_updates` looks again; `upgrade` moves `tag` to it. */
            latest_tag: string | null;
            /** @description Whether every organization sees it. Only its own changes it. */
            is_global: boolean;
            /**
             * Format: uuid
             * @description The organization that owns it.
             */
            organization_id: string;
            organization_name: string;
            /** @description What the code offers, found by reading it, as lists of names in `methods`, `jobs` and `scheduled_tasks`. */
            capabilities: {
                [key: string]: unknown;
            };
            /** @description Stored for clients that show it; without effect here. */
            metrics: {
                [key: string]: unknown;
            } | null;
            /** @description The jobs that the plugin offers to people, from name to the fields each takes. */
            public_jobs: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * PluginPage
         * @description One page of plugins.
         */
        PluginPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["Plugin"][];
        };
        /**
         * PluginWrite
         * @description What a caller may set on a plugin. What its `plugin.json` says comes back with the next upgrade.
         */
        PluginWrite: {
            /** @description Kept as sent where there is no URL. What is installed by its URL is `custom` or, where that is sent, `repository`; a folder is `local`. */
            plugin_type?: ("local" | "custom" | "repository" | "source") | null;
            name?: string | null;
            description?: string | null;
            /** @description URL of a picture. */
            icon?: string | null;
            /** @description The settings the plugin takes. A list of fields, or an object from key to field. */
            config_schema?: {
                [key: string]: unknown;
            }[] | {
                [key: string]: unknown;
            };
            tag?: string | null;
            /** @description Whether every organization sees it. Changing it needs level 8 and plugin access level 9. */
            is_global?: boolean;
            /** @description Stands until the source is read again. */
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
         * @description A new plugin. Send `url` to fetch it, `source` with the code itself, or neither to write down one whose code comes later.
         */
        PluginCreate: {
            /**
             * @description A repository on GitHub or GitLab, a package on npm, or `file:` and a folder that the operator allows.
             *     A `private_token` in its query is used and kept secret.
             */
            url?: string | null;
            /** @description The code, from file name to text. It makes the plugin's type `source`, and excludes `url`. */
            source?: {
                [key: string]: string;
            };
        } & components["schemas"]["PluginWrite"];
        /**
         * PluginWithSource
         * @description A plugin together with its code.
         */
        PluginWithSource: {
            /** @description The stored files, from name to text. */
            source: {
                [key: string]: string;
            };
            /** @description The files that do not parse, from name to what is wrong with them and where. */
            source_errors: {
                [key: string]: string;
            };
        } & components["schemas"]["Plugin"];
        /**
         * PluginSourceWrite
         * @description Changes to a plugin's files.
         */
        PluginSourceWrite: {
            /** @description From file name to new text, or to null to delete the file. Files that are not named stay; absent, all do. */
            source?: {
                [key: string]: string | null;
            };
        };
        /**
         * PluginActivity
         * @description Who did what to a plugin or to one of its configurations, and when.
         */
        PluginActivity: {
            /** @description The person, as they were called then. */
            user: {
                first_name: string;
                email: string;
            };
            /**
             * @description What was done. To a plugin: `installed`, `updated`, `source_updated`, `upgraded`, `uninstalled`; to a configuration:
             *     `config_created`, `enabled`, `disabled`, `order_changed`, `config_updated`, `config_deleted`.
             */
            activity: string;
            /**
             * @description What it was done to.
             * @enum {string}
             */
            scope: "Plugin" | "PluginConfig";
            /** @description The id of the plugin or of the configuration, as a string of digits. */
            item_id: string;
            detail: {
                /** @description The name it had then; empty where it had none. */
                name: string;
                /** @description Field by field what changed; null where that says nothing. Secrets are masked, and code is not repeated. */
                changes: {
                    /** @enum {string} */
                    type: "Plugin" | "PluginConfig";
                    /** @enum {string} */
                    action: "created" | "changed" | "deleted";
                    field: string;
                    before: unknown;
                    after: unknown;
                }[] | null;
                /** @description Always null. No jobs run here. */
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
         * @description A plugin together with what was done to it.
         */
        PluginWithActivity: {
            /** @description The latest hundred entries at most, newest first. */
            activity: components["schemas"]["PluginActivity"][];
        } & components["schemas"]["Plugin"];
        /**
         * PluginActivityPage
         * @description One page of plugins with what was done to them.
         */
        PluginActivityPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginWithActivity"][];
        };
        /**
         * CatalogPlugin
         * @description An entry of the catalogue, in the shape of a plugin. It is not installed: `id` is its place in the catalogue, counted from
         *     one, and opens nothing; the organization is the one that asks. Install it by sending its `url` to create.
         */
        CatalogPlugin: {
            /** @description Whether somebody who keeps the catalogue has looked at the code. */
            verified: boolean;
            /**
             * @description Who keeps the plugin.
             * @enum {string}
             */
            maintainer: "official" | "community";
            /**
             * @description What it is for. `data_out` suits destinations, `data_in` import apps, `site` frontend apps.
             * @enum {string}
             */
            type: "data_in" | "data_out" | "ingestion_filtering" | "site";
        } & components["schemas"]["Plugin"];
        /**
         * CatalogPluginPage
         * @description One page of the catalogue.
         */
        CatalogPluginPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["CatalogPlugin"][];
        };
        /**
         * PluginConfig
         * @description A plugin's settings in one project, and whether it is switched on there.
         */
        PluginConfig: {
            id: number;
            /** @description The plugin's id. */
            plugin: number;
            /** @description A plugin that is enabled nowhere counts as unused. */
            enabled: boolean;
            /** @description Its place among the project's plugins, lowest first. */
            order: number;
            /** @description The settings, from key to value. A secret one shows a mask instead of its value. */
            config: {
                [key: string]: unknown;
            };
            /** @description The project's id. */
            team_id: number;
            plugin_info: components["schemas"]["Plugin"];
            /** @description The plugin's name where the configuration has none; empty where neither has. */
            name: string;
            /** @description The plugin's description where the configuration has none; empty where neither has. */
            description: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * PluginConfigPage
         * @description One page of plugin configurations.
         */
        PluginConfigPage: {
            /** @description How many there are in all. */
            count: number;
            next: components["schemas"]["PageUrl"];
            previous: components["schemas"]["PageUrl"];
            results: components["schemas"]["PluginConfig"][];
        };
        /**
         * PluginConfigWrite
         * @description What a caller may set on a plugin's configuration.
         */
        PluginConfigWrite: {
            /** @description Absent at creation, false. */
            enabled?: boolean;
            /** @description Its place among the project's plugins, lowest first; absent at creation, 0. */
            order?: number;
            /**
             * @description All settings, checked against the plugin's `config_schema`: no unknown ones, the required ones unless `visible_if` hides
             *     them, choices among `choices`. Those left out are at their defaults. A secret that comes as its mask or as null keeps the
             *     value that is stored; an empty one is emptied. When a setting that is an address changes (its key says `url`, `host`,
             *     `port`, `region` or the like, or its value is a URL or a host), the secrets must be sent again.
             */
            config?: {
                [key: string]: unknown;
            };
            /** @description Null or empty shows the plugin's. */
            name?: string | null;
            /** @description Null or empty shows the plugin's. */
            description?: string | null;
        };
        /**
         * PluginConfigCreate
         * @description A plugin for this project.
         */
        PluginConfigCreate: {
            /** @description The id of a plugin that the project's organization may see. */
            plugin: number;
        } & components["schemas"]["PluginConfigWrite"];
        /**
         * Event
         * @description Something that happened, as it was captured. Every field is a string; three of them hold JSON text.
         */
        Event: {
            /** @description The event's UUID. */
            id: string;
            /** @description Who did it, as the sender names them. */
            distinct_id: string;
            /** @description JSON text of an object. */
            properties: string;
            /** @description The event's name. */
            event: string;
            /** @description When it happened, ISO 8601 in UTC, with the microseconds that were sent. */
            timestamp: string;
            /** @description JSON text of the person behind `distinct_id`, or `null` as text where nobody is known. */
            person: string;
            /** @description JSON text of the list of page elements that were clicked, innermost first; `[]` as text for none. */
            elements: string;
            /** @description The same elements in their compact form; empty for none. */
            elements_chain: string;
        };
        /**
         * EventPage
         * @description One page of events, or with `select` of rows.
         */
        EventPage: {
            next: components["schemas"]["PageUrl"];
            /** @description What each place of a row holds. With `select` only. */
            columns?: string[];
            /** @description The type of each column. With `select` only. */
            types?: string[];
            /** @description Events; with `select` rows, each a list of values in the order of `columns`. */
            results: (components["schemas"]["Event"] | unknown[])[];
        };
        /**
         * EventValue
         * @description A value of a property, and how often it came.
         */
        EventValue: {
            /** @description The value as text. */
            name: string;
            count: number;
        };
        /**
         * EventValues
         * @description With `key` the values of that property, most frequent first. Without it one record in the shape of an event, each field
         *     JSON text of a list: at most ten different values that this field has in recent events.
         */
        EventValues: components["schemas"]["Event"] | components["schemas"]["EventValue"][];
        /**
         * CaptureRefusedEvent
         * @description An event that was left out of a batch.
         */
        CaptureRefusedEvent: {
            /** @description Its place in the batch, from 0. */
            index: number;
            /** @description Its `uuid` as it was sent; null where none was. */
            uuid: string | null;
            /** @description `event_too_large`: it takes more than 1 MiB as it is stored. More codes may follow. */
            code: string;
            detail: string;
        };
        /**
         * CaptureAccepted
         * @description Everything that was sent is stored, except what `refused` lists.
         */
        CaptureAccepted: {
            /** @constant */
            status: 1;
            /** @description The events that were left out. Sending them again unchanged has the same result. Absent where there are none. */
            refused?: components["schemas"]["CaptureRefusedEvent"][];
        };
        /**
         * CaptureEvent
         * @description Something that happened. Keys that are not named here are ignored.
         */
        CaptureEvent: {
            /** @description The project's token, also read from `token`, `$token` and `properties.token`. A batch carries it once for all. */
            api_key?: string;
            /** @description What happened. Cut to 200 characters. */
            event: string;
            /** @description Whom it happened to, also read from `$distinct_id` and `properties.distinct_id`; one must be there. Kept as text. */
            distinct_id?: string | number;
            properties?: {
                [key: string]: unknown;
            };
            /** @description When it happened; absent, null or unreadable, now. */
            timestamp?: string | null;
            /** @description How many milliseconds ago it happened. Goes before `timestamp`. */
            offset?: number;
            /** @description The event's id. The same one twice in a project is stored once; absent or null, one is made. */
            uuid?: string | null;
            /** @description Properties to write on the person. */
            $set?: {
                [key: string]: unknown;
            };
            /** @description Properties to write on the person where they have none of that name. */
            $set_once?: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureBatch
         * @description Events of one project, with its token once. Keys that are not named here are ignored.
         */
        CaptureBatch: {
            /** @description The project's token, also read from `token`. It goes before the tokens of the events. */
            api_key?: string;
            batch: components["schemas"]["CaptureEvent"][];
            /** @description When the sender's clock says it sent this. Corrects the events' timestamps where that clock is wrong. */
            sent_at?: string;
            /** @description True where old events are brought from elsewhere. The sender's address is then not theirs, and no `$ip` is added. */
            historical_migration?: boolean;
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureBody
         * @description One event, an array of events, or a batch. An object with `batch` is a batch.
         */
        CaptureBody: components["schemas"]["CaptureEvent"] | components["schemas"]["CaptureEvent"][] | components["schemas"]["CaptureBatch"];
        /**
         * CaptureText
         * @description What a JSON body would hold, as JSON text or packed. A body without a content type is read like this one.
         */
        CaptureText: string;
        /**
         * CaptureForm
         * @description The same events as a form.
         */
        CaptureForm: {
            /** @description What a JSON body would hold, as JSON text or packed. */
            data: string;
            /** @description The project's token, where `data` does not hold it; also read from `token`. */
            api_key?: string;
            token?: string;
            /** @description How `data` is packed, `gzip`, `gzip-js`, `lz64` or `base64`. */
            compression?: string;
            /** @description When the sender's clock says it sent this. Corrects a wrong clock. */
            sent_at?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureAllowed
         * @description The answer is in its headers.
         */
        CaptureAllowed: {
            /** @constant */
            status: 1;
        };
        /**
         * CaptureConfigurationQuery
         * @description What SDKs send to `/decide/` and `/flags/`. Only the token matters here.
         */
        CaptureConfigurationQuery: {
            /** @description The project's token, also read from `token` and `$token`. */
            api_key?: string;
            token?: string;
            /** @description Whom the flags are asked for; without effect, there are none. */
            distinct_id?: string | number;
        } & {
            [key: string]: unknown;
        };
        /**
         * CaptureConfiguration
         * @description The settings of a project, as SDKs read them. Features that do not exist here are off.
         */
        CaptureConfiguration: {
            config: {
                enable_collect_everything: boolean;
            };
            toolbarParams: {
                [key: string]: unknown;
            };
            isAuthenticated: boolean;
            /** @description How events may be packed. */
            supportedCompression: string[];
            /** @description The flags that are on, by name; always empty. */
            featureFlags: {
                [key: string]: unknown;
            };
            featureFlagPayloads: {
                [key: string]: unknown;
            };
            /** @description The same flags as `?v=2` has them; always empty. */
            flags: {
                [key: string]: unknown;
            };
            errorsWhileComputingFlags: boolean;
            /** Format: uuid */
            requestId: string;
            sessionRecording: boolean;
            capturePerformance: boolean;
            autocapture_opt_out: boolean;
            surveys: boolean;
            heatmaps: boolean;
            siteApps: {
                [key: string]: unknown;
            }[];
            analytics: {
                /** @description Where to send events. */
                endpoint: string;
            };
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
        /** @description The `Accept` header excludes every media type this operation answers in. */
        NotAcceptable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
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
        /** @description The organization's id, or `@current` for the one the key's user is working in. */
        organization_id: string;
        /** @description The project's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` where the caller's current project is in the organization. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` where the caller's current project is in the organization. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` where the caller's current project is in the organization. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The project's id, or `@current` where the caller's current project is in the organization. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
                /** @description By the time of joining, upwards or, with the minus, downwards. */
                order?: "joined_at" | "-joined_at";
                /** @description Only the member with exactly this address. */
                email?: string;
                /** @description Only members whose membership changed after this ISO 8601 time. */
                updated_after?: string;
                /** @description Only members whose name or address contains this, in whatever case. */
                search?: string;
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The `uuid` of the member's user, not the membership's id; or `@me` for the caller. */
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are no longer a member. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The `uuid` of the member's user, not the membership's id; or `@me` for the caller. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
            /** @description The invite, with its secret where no mail could carry it. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The invite's id. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
            /** @description The domain, not yet verified. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The domain's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The domain's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The domain's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The domain's id. */
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
            /** @description A mail is on its way. */
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
            /** @description The state. */
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
        requestBody?: never;
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoFactorDisable"];
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
            /** @description How the address signs in. */
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
            /** @description If the address has an account, a mail is on its way. */
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
                /** @description The secret of the mailed link. */
                token: string;
            };
            header?: never;
            path: {
                /** @description The `uuid` of the user in the mailed link. */
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
                /** @description The `uuid` of the user in the mailed link. */
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
    "sso.begin": {
        parameters: {
            query?: {
                /** @description The address that signs in. */
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
             * @description A redirect, on success to the page that the sign-in started from. A failure redirects to `/login` with an `error_code`:
             *     `invalid_sso_provider`, `improperly_configured_sso`, `sso_failed`, `state_mismatch`, `email_not_verified`,
             *     `sso_enforced`, `jit_not_enabled`, `no_new_organizations`, `invalid_invite` or `password_required`.
             */
            302: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
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
             * @description A redirect, on success to the page that the sign-in started from. A failure redirects to `/login` with an `error_code`:
             *     `invalid_sso_provider`, `improperly_configured_sso`, `sso_failed`, `state_mismatch`, `email_not_verified`,
             *     `sso_enforced`, `jit_not_enabled`, `no_new_organizations`, `invalid_invite` or `password_required`.
             */
            302: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
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
                /** @description The error of the provider. */
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
             * @description A redirect, on success to the page that the sign-in started from. A failure redirects to `/login` with an `error_code`:
             *     `invalid_sso_provider`, `improperly_configured_sso`, `sso_failed`, `state_mismatch`, `email_not_verified`,
             *     `sso_enforced`, `jit_not_enabled`, `no_new_organizations`, `invalid_invite` or `password_required`.
             */
            302: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
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
                /** @description The key's id, not its value. */
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
                /** @description The invite's id. */
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
    "batch_exports.list": {
        parameters: {
            query?: {
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
            /** @description What each step came to. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
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
            /** @description The batch export, with the id of the backfill. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
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
    "batch_exports.unpause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The batch export's id. */
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
    "project_batch_exports.list": {
        parameters: {
            query?: {
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
            /** @description What each step came to. */
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
    "project_batch_exports.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
            /** @description The batch export, with the id of the backfill. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
    "project_batch_exports.unpause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
    "project_batch_exports.logs": {
        parameters: {
            query?: {
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
                /** @description Only entries of this level, in either case. May be repeated. */
                level?: components["schemas"]["BatchExportLogLevel"][];
                /** @description Only entries whose message holds this text, in either case. */
                search?: string;
                /** @description Only entries later than this time, ISO 8601 or relative such as `-24h`. */
                after?: string;
                /** @description Only entries earlier than this time, ISO 8601 or relative such as `-24h`. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
                /** @description Where a page begins. Take it from `next` or `previous`; it has no meaning of its own. */
                cursor?: string;
                /** @description What to order by; a leading `-` puts the latest first. */
                ordering?: "created_at" | "-created_at" | "data_interval_start" | "-data_interval_start";
                /** @description Only runs made at this time or later, ISO 8601 or relative such as `-24h`. */
                after?: string;
                /** @description Only runs made at this time or earlier, ISO 8601 or relative such as `-24h`. */
                before?: string;
                /** @description Only runs whose window begins at this time or later, ISO 8601 or relative such as `-7d`. */
                start?: string;
                /** @description Only runs whose window ends at this time or earlier, ISO 8601 or relative such as `-7d`. */
                end?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run that does it. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
                /** @description Only entries of this level, in either case. May be repeated. */
                level?: components["schemas"]["BatchExportLogLevel"][];
                /** @description Only entries whose message holds this text, in either case. */
                search?: string;
                /** @description Only entries later than this time, ISO 8601 or relative such as `-24h`. */
                after?: string;
                /** @description Only entries earlier than this time, ISO 8601 or relative such as `-24h`. */
                before?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The batch export's id. */
                batch_export_id: string;
                /** @description The run's id. */
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
    "pipeline_destinations.list": {
        parameters: {
            query?: {
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin with its code. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
            /** @description The plugin with its code. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /** @description May hold the fields of a plugin; they are ignored. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins with what was done to them. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the catalogue. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin with its code. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
            /** @description The plugin with its code. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /** @description May hold the fields of a plugin; they are ignored. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins with what was done to them. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the catalogue. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plugin with its code. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
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
            /** @description The plugin with its code. */
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
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
                /** @description The plugin's id. */
                id: number;
            };
            cookie?: never;
        };
        /** @description May hold the fields of a plugin; they are ignored. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of plugins with what was done to them. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
                organization_id: components["parameters"]["organization_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the catalogue. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The organization's id, or `@current` for the one the key's user is working in. */
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
                /** @description How many results a page holds. */
                limit?: components["parameters"]["limit"];
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
    "plugin_configs.retrieve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The configuration's id, not the plugin's. */
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The configuration's id, not the plugin's. */
                id: number;
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
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
                /** @description The configuration's id, not the plugin's. */
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
    "events.list": {
        parameters: {
            query?: {
                /**
                 * @description Only events after this time: ISO 8601, RFC 822 (`Sat, 07 Jan 2012 20:00:00 +0200`), or relative to now such as `-24h`,
                 *     `-7d` or `dStart` for the start of today.
                 */
                after?: string;
                /** @description Only events before this time, written like `after`. Absent, five seconds from now. */
                before?: string;
                /** @description Only events of this distinct id. */
                distinct_id?: string;
                /** @description Only events of this name, or of one of these. Takes several. */
                event?: string | string[];
                /** @description What to answer with. Absent, `json`. */
                format?: "csv" | "json";
                /** @description How many results a page holds. Absent, 100, and 3,500 for CSV. */
                limit?: number;
                /** @description How many results to pass over first. */
                offset?: components["parameters"]["offset"];
                /** @description Only events of this person, by UUID or number. A person nobody knows has no events. */
                person_id?: string;
                /**
                 * @description Only events whose properties pass, as JSON text: a list of `{key, value, operator, type}` that must all pass, or a group
                 *     `{type: AND or OR, values}`, or an object from key to value. An item that cannot be read is an error that names it.
                 */
                properties?: string | string[];
                /** @description HogQL expressions to answer as the columns of rows, instead of events. Takes several. Times come as ISO 8601, in UTC. */
                select?: string | string[];
                /** @description HogQL expressions that must all be true. Takes several. */
                where?: string | string[];
                /**
                 * @description `-timestamp` for newest first, which is the default, or `timestamp` for oldest first. With `select`, HogQL expressions,
                 *     each with `-` before it to turn it round. Takes several.
                 */
                orderBy?: string | string[];
                /** @description Send `false` to leave the person out of each event, which is quicker. Absent, `true`. */
                include_person?: boolean;
                /** @description Where the page before this one ended. It stands in `next`; do not make one up. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
                project_id: components["parameters"]["project_id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of events, or with `select` of rows. CSV has no `next`. */
            200: {
                headers: {
                    /** @description Says that this operation is deprecated. */
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
                /** @description What to answer with. Absent, `json`. */
                format?: "csv" | "json";
                /** @description The property to look at. `custom_event` gives the names of events that are not built in. */
                key?: string;
                /** @description Only values that contain this text, in upper or lower case. */
                value?: string;
                /** @description Only in events of this name, or of one of these. As JSON text, repeated, or in brackets. */
                event_name?: string | string[];
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
    "events.retrieve": {
        parameters: {
            query?: {
                /** @description What to answer with. Absent, `json`. */
                format?: "csv" | "json";
                /** @description Send `false` to leave the person out of each event, which is quicker. Absent, `true`. */
                include_person?: boolean;
            };
            header?: never;
            path: {
                /** @description The project's id, or `@current` for the one the key's user is working in. */
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
    "capture.capture_get": {
        parameters: {
            query?: {
                /** @description What a body would hold, as JSON text or packed. */
                data?: string;
                /** @description The project's token, where `data` does not hold it. */
                token?: string;
                /** @description Another name of `token`. */
                api_key?: string;
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
            /** @description Any page may send. */
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
                /** @description What a body would hold, as JSON text or packed. */
                data?: string;
                /** @description The project's token, where `data` does not hold it. */
                token?: string;
                /** @description Another name of `token`. */
                api_key?: string;
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
            /** @description Any page may send. */
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
                /** @description What a body would hold, as JSON text or packed. */
                data?: string;
                /** @description The project's token, where `data` does not hold it. */
                token?: string;
                /** @description Another name of `token`. */
                api_key?: string;
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
            /** @description Any page may send. */
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
                /** @description What a body would hold, as JSON text or packed. */
                data?: string;
                /** @description The project's token, where `data` does not hold it. */
                token?: string;
                /** @description Another name of `token`. */
                api_key?: string;
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
            /** @description Any page may send. */
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
                /** @description The form of the answer that an SDK expects; without effect, every form is answered at once. */
                v?: string;
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
            /** @description Any page may send. */
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
                /** @description The form of the answer that an SDK expects; without effect, every form is answered at once. */
                v?: string;
                /** @description How the data is packed, `gzip`, `gzip-js`, `lz64` or `base64`; it goes before the form's field and `Content-Encoding`. */
                compression?: string;
                /** @description Sent by browser libraries; without effect here. */
                ip?: string;
                /** @description The version of the sending library; without effect here. */
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
            /** @description Any page may send. */
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
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
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
