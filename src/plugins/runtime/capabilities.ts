/** The exports of a plugin that the server calls. */
export interface Capabilities {
  methods: string[]
  jobs: string[]
  scheduled_tasks: string[]
}
