/** Segment's raw calls, as its S3 destination and its warehouses' archives store them. */
import { isJsonObject, type JsonObject } from '../../json/object.ts'
import { firstText, isEmpty, type Reader, type ReadRow, renamed } from './reader.ts'

export const segment: Reader = { name: 'segment', matches, read, withoutTime: 'refuse' }

const TYPES = ['track', 'page', 'screen', 'identify', 'group', 'alias']
/** Groups have no type in Segment. PostHog's Segment destination uses this one. */
const GROUP_TYPE = 'segment_group'

const CONTEXT = {
  $ip: 'ip',
  $raw_user_agent: 'userAgent',
  $locale: 'locale',
  $timezone: 'timezone',
  $current_url: 'page.url',
  $pathname: 'page.path',
  $referrer: 'page.referrer',
  title: 'page.title',
  $os: 'os.name',
  $os_version: 'os.version',
  $device_type: 'device.type',
  $device_id: 'device.id',
  $device_manufacturer: 'device.manufacturer',
  $device_model: 'device.model',
  $app_name: 'app.name',
  $app_version: 'app.version',
  $app_build: 'app.build',
  $app_namespace: 'app.namespace',
  $screen_width: 'screen.width',
  $screen_height: 'screen.height',
  $lib: 'library.name',
  $lib_version: 'library.version',
  utm_source: 'campaign.source',
  utm_medium: 'campaign.medium',
  utm_campaign: 'campaign.name',
  utm_content: 'campaign.content',
  utm_term: 'campaign.term',
}
/** Properties that Segment reserves in page calls. */
const PAGE = { $current_url: 'url', $pathname: 'path', $referrer: 'referrer' }

function matches(row: JsonObject): boolean {
  const { type, messageId, userId, anonymousId, previousId } = row
  const hasId = [messageId, userId, anonymousId, previousId].some((id) => id !== undefined)
  return typeof type === 'string' && TYPES.includes(type) && hasId && row.distinct_id === undefined
}

function read(row: JsonObject): ReadRow {
  const { type, context } = row
  const call = callOf(row)
  if (call === undefined)
    return { problem: `\`type\` must be one of: ${TYPES.join(', ')}. Remove other records from the file.` }
  const distinct_id = firstText(row.userId, row.anonymousId)
  if (distinct_id === undefined) return { problem: 'The call has neither `userId` nor `anonymousId`.' }
  const isPage = type === 'page'
  const properties = isJsonObject(row.properties) ? row.properties : {}
  return {
    event: {
      event: call.event,
      distinct_id,
      timestamp: firstText(row.timestamp, row.originalTimestamp, row.receivedAt, row.sentAt),
      id: firstText(row.messageId),
      properties: {
        ...(isJsonObject(context) && renamed(context, CONTEXT)),
        ...(isPage && renamed(properties, PAGE)),
        ...properties,
        ...call.properties,
      },
    },
  }
}

/** The event name and the properties that follow from the type of the call. */
function callOf(row: JsonObject): { event: unknown; properties: JsonObject } | undefined {
  const name = firstText(row.name)
  const traits = isJsonObject(row.traits) ? row.traits : {}
  switch (row.type) {
    case 'track':
      return { event: row.event, properties: {} }
    case 'page':
      return { event: '$pageview', properties: name === undefined ? {} : { name } }
    case 'screen':
      return { event: '$screen', properties: name === undefined ? {} : { $screen_name: name } }
    case 'identify':
      return identifyOf(firstText(row.userId), firstText(row.anonymousId), traits)
    case 'group':
      return {
        event: '$groupidentify',
        properties: { $group_type: GROUP_TYPE, $group_key: row.groupId, $group_set: traits },
      }
    case 'alias':
      return { event: '$create_alias', properties: { alias: row.previousId } }
    default:
      return undefined
  }
}

/** Only a known user is identified: an identified person is not merged into another one. */
export function identifyOf(
  user: string | undefined,
  anonymous: string | undefined,
  traits: JsonObject,
): { event: string; properties: JsonObject } {
  const set = isEmpty(traits) ? {} : { $set: traits }
  if (user === undefined) return { event: '$set', properties: set }
  const isLink = anonymous !== undefined && anonymous !== user
  return { event: '$identify', properties: { ...(isLink && { $anon_distinct_id: anonymous }), ...set } }
}
