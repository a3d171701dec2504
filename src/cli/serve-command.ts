import { Command, InvalidArgumentError, Option } from 'commander'
import type { Variables } from '../config.ts'
import { OPTIONS, type ServeOptions, start } from './serve.ts'

export function serve(variables: Variables): Command {
  const command = new Command('serve').description(
    'Starts the server. On an empty database it makes a first user, organization, project and an all-scopes key, and prints the key once.',
  )
  for (const { flags, description, check, wanted, excludes } of OPTIONS) {
    const option = new Option(flags, description)
    if (excludes) option.conflicts(excludes)
    if (check)
      option.argParser((value) => {
        if (!check.test(value)) throw new InvalidArgumentError(wanted!)
        return value
      })
    command.addOption(option)
  }
  return command
    .addHelpText(
      'after',
      `
With --json, api_key is null unless this start made it; the ids are those of the oldest organization and project.
Logs go to standard error, one JSON object a line. SIGTERM and SIGINT finish what is in flight and exit with 0;
SIGTERM first leaves a load balancer DRAIN_SECONDS to notice.

Examples:
  $ workspace-admin serve
  $ workspace-admin serve --port 0 --ephemeral --json
  $ workspace-admin serve --database postgres://workspace@db.example.com/workspace --host 0.0.0.0
  $ workspace-admin serve --database postgres://workspace@db.example.com/workspace --role worker`,
    )
    .action((options: ServeOptions) => start(options, variables))
}
