import type { AnyFunction } from './values.ts'

/** The functions that the file of the plugin exports. */
export const plugin: Record<'methods' | 'tasks' | 'jobs', Record<string, AnyFunction>> = {
  methods: {},
  tasks: {},
  jobs: {},
}
