/** The project of the page, as the routes name it. */
export interface Place {
  organization: string
  project: string
}

export const EVENTS = '/organizations/$organization/projects/$project/events'
