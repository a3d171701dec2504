/** The words of the settings of destinations, in the order of the form. */
import type { Schemas } from '../api.ts'
import type { DestinationType } from './destinations.tsx'

export interface FieldText {
  label: string
  hint?: string
  /** Shown in the empty field. */
  example?: string
  /** The server never returns it, but it is not secret, so it is shown while it is typed. */
  isReadable?: true
  /** Few exports need it: it is folded. */
  isRare?: true
  /** Required whenever it applies, which the contract cannot say. */
  isRequired?: true
  /** The setting that decides whether this one applies, and the test of its value. */
  when?: [key: string, test: (value: unknown) => boolean]
  /** The names of the choices, by value. */
  choices?: Record<string, string>
}

/** The event lists are in another part of the form. Unused settings and objects have no field of their own. */
type Elsewhere = 'include_events' | 'exclude_events' | 'arg' | 'copy_inputs'

/** Every setting of the contract has a text. Settings of objects have the keys of all levels, joined by two underscores. */
type Texts = {
  [Type in DestinationType]: Record<Exclude<keyof Schemas[`${Type}Config`], Elsewhere>, FieldText> &
    Record<string, FieldText>
}

const pathPrefix = (hint: string): FieldText => ({
  label: 'Path prefix',
  hint: `${hint} {year}, {month}, {day}, {hour}, {minute} and {table} are replaced.`,
  example: 'events/{year}/{month}/{day}/',
})

const FILES = {
  file_format: {
    label: 'File format',
    hint: 'JSON lines if you choose none.',
    choices: { JSONLines: 'JSON lines', Parquet: 'Apache Parquet' },
  },
  compression: {
    label: 'Compression',
    hint: 'JSON lines can have gzip or Brotli. Parquet can have all of them.',
    choices: { gzip: 'gzip', brotli: 'Brotli', zstd: 'Zstandard', lz4: 'LZ4', snappy: 'Snappy' },
  },
  max_file_size_mb: {
    label: 'Maximum file size (MB)',
    hint: 'A run with more data writes several files and a manifest that lists them. Without it, a run writes one file.',
    example: '512',
    isRare: true,
  },
} satisfies Record<string, FieldText>

const BUCKET = {
  bucket_name: { label: 'Bucket', example: 'acme-analytics' },
  region: { label: 'Region', hint: 'The region of the bucket.', example: 'eu-central-1' },
  prefix: pathPrefix('The beginning of the name of each file.'),
} satisfies Record<string, FieldText>

const ENCRYPTION = {
  encryption: {
    label: 'Encryption',
    hint: 'The default of the bucket if you choose none.',
    choices: { AES256: 'Keys of Amazon S3 (AES256)', 'aws:kms': 'A key of AWS KMS' },
    isRare: true,
  },
  kms_key_id: {
    label: 'KMS key',
    example: 'arn:aws:kms:eu-central-1:123456789012:key/…',
    isRare: true,
    isRequired: true,
    when: ['encryption', (value) => value === 'aws:kms'],
  },
} satisfies Record<string, FieldText>

const VIRTUAL_STYLE = {
  use_virtual_style_addressing: {
    label: 'Bucket name in the host name',
    hint: 'Also called virtual-hosted style. Otherwise the bucket is the first part of the path.',
    isRare: true,
  },
} satisfies Record<string, FieldText>

const hasKeyPair = (value: unknown): boolean => value !== true

const ACCESS_KEY = {
  aws_access_key_id: { label: 'Access key ID', example: 'AKIAIOSFODNN7EXAMPLE', isReadable: true },
  aws_secret_access_key: { label: 'Secret access key' },
} satisfies Record<string, FieldText>

const TABLE = {
  label: 'Table',
  hint: 'Created if it does not exist. Named after the exported rows if empty.',
  example: 'events',
} satisfies FieldText

const DATABASE_SERVER = {
  host: { label: 'Host', hint: 'The name or address of the server. The connection uses TLS.' },
  database: { label: 'Database', example: 'analytics' },
  user: { label: 'User', hint: 'Needs the right to create the table and to write to it.', isReadable: true },
  password: { label: 'Password' },
  schema: { label: 'Schema', hint: 'The schema of the table. "public" if empty.', example: 'public' },
  table_name: TABLE,
} satisfies Record<string, FieldText>

const SELF_SIGNED = {
  label: 'Accept a self-signed certificate',
  hint: 'Only for servers in a network that you trust.',
  isRare: true,
} satisfies FieldText

const fromBucket = (text: FieldText): FieldText => ({ ...text, when: ['mode', (value) => value === 'COPY'] })

export const FIELD_TEXTS: Texts = {
  AwsS3: {
    ...BUCKET,
    aws_access_key_id: {
      ...ACCESS_KEY.aws_access_key_id,
      isRequired: true,
      when: ['use_default_credentials', hasKeyPair],
    },
    aws_secret_access_key: {
      ...ACCESS_KEY.aws_secret_access_key,
      isRequired: true,
      when: ['use_default_credentials', hasKeyPair],
    },
    file_format: FILES.file_format,
    compression: FILES.compression,
    use_default_credentials: {
      label: 'Use the role of the server',
      hint: 'Instead of an access key. Only for buckets that the operator of this server has listed.',
      isRare: true,
    },
    max_file_size_mb: FILES.max_file_size_mb,
    ...ENCRYPTION,
    ...VIRTUAL_STYLE,
  },
  S3Compatible: {
    endpoint_url: {
      label: 'Endpoint URL',
      hint: 'The address of the store, without the bucket.',
      example: 'https://s3.example.com',
    },
    ...BUCKET,
    region: { ...BUCKET.region, hint: 'Some stores expect "auto" or "us-east-1".' },
    ...ACCESS_KEY,
    ...FILES,
    ...VIRTUAL_STYLE,
  },
  S3: {
    ...BUCKET,
    ...ACCESS_KEY,
    endpoint_url: {
      label: 'Endpoint URL',
      hint: 'The address of a compatible store. Amazon S3 if empty.',
      example: 'https://s3.example.com',
    },
    ...FILES,
    ...ENCRYPTION,
    ...VIRTUAL_STYLE,
  },
  AzureBlob: {
    connection_string: {
      label: 'Connection string',
      hint: 'In the Azure portal: the storage account, "Access keys".',
      example: 'DefaultEndpointsProtocol=https;AccountName=…',
    },
    container_name: { label: 'Container', example: 'analytics' },
    prefix: pathPrefix('The beginning of the name of each blob.'),
    ...FILES,
  },
  File: {
    prefix: pathPrefix('The directory below that of the export.'),
    ...FILES,
  },
  Postgres: {
    ...DATABASE_SERVER,
    host: { ...DATABASE_SERVER.host, example: 'db.example.com' },
    port: { label: 'Port', hint: '5432 if empty.', example: '5432', isRare: true },
    has_self_signed_cert: SELF_SIGNED,
  },
  Redshift: {
    ...DATABASE_SERVER,
    host: { ...DATABASE_SERVER.host, example: 'cluster.abc123.eu-central-1.redshift.amazonaws.com' },
    mode: {
      label: 'Way of writing',
      hint: 'Copying from a bucket is faster for many rows. Inserting if you choose none.',
      choices: { INSERT: 'Insert rows', COPY: 'Copy from a bucket' },
    },
    copy_inputs__s3_bucket: fromBucket({
      label: 'Bucket',
      hint: 'For the files that Redshift copies. They are deleted afterwards.',
      example: 'acme-redshift-files',
      isRequired: true,
    }),
    copy_inputs__region_name: fromBucket({ label: 'Region of the bucket', example: 'eu-central-1', isRequired: true }),
    copy_inputs__s3_key_prefix: fromBucket({ label: 'Path prefix in the bucket', example: 'workspace/' }),
    copy_inputs__authorization: fromBucket({
      label: 'IAM role of Redshift',
      hint: 'The role that Redshift reads the bucket with.',
      example: 'arn:aws:iam::123456789012:role/redshift-copy',
      isRequired: true,
    }),
    copy_inputs__bucket_credentials__aws_access_key_id: fromBucket({
      label: 'Access key ID',
      hint: 'The key that this server writes to the bucket with.',
      example: 'AKIAIOSFODNN7EXAMPLE',
      isReadable: true,
      isRequired: true,
    }),
    copy_inputs__bucket_credentials__aws_secret_access_key: fromBucket({
      label: 'Secret access key',
      isRequired: true,
    }),
    port: { label: 'Port', hint: '5439 if empty.', example: '5439', isRare: true },
    properties_data_type: {
      label: 'Type of JSON columns',
      hint: 'VARCHAR if you choose none.',
      choices: { varchar: 'VARCHAR', super: 'SUPER' },
      isRare: true,
    },
    has_self_signed_cert: SELF_SIGNED,
  },
  ClickHouse: {
    url: {
      label: 'URL',
      hint: 'The address of the HTTP interface.',
      example: 'https://clickhouse.example.com:8443',
    },
    database: { label: 'Database', hint: '"default" if empty.', example: 'default' },
    user: DATABASE_SERVER.user,
    password: { label: 'Password', hint: 'Empty if the user has none.' },
    table_name: TABLE,
    has_self_signed_cert: SELF_SIGNED,
  },
  BigQuery: {
    project_id: { label: 'Google Cloud project', hint: 'Its ID, not its name.', example: 'acme-analytics-123456' },
    dataset_id: { label: 'Dataset', example: 'product_events' },
    table_id: TABLE,
    client_email: {
      label: 'Client email',
      hint: '"client_email" in the JSON file of the service account.',
      example: 'exporter@acme-analytics-123456.iam.gserviceaccount.com',
      isReadable: true,
    },
    private_key_id: { label: 'Private key ID', hint: '"private_key_id" in the same file.', isReadable: true },
    private_key: {
      label: 'Private key',
      hint: '"private_key" in the same file.',
      example: '-----BEGIN PRIVATE KEY-----',
    },
    token_uri: {
      label: 'Token URI',
      hint: '"token_uri" in the same file.',
      example: 'https://oauth2.googleapis.com/token',
      isReadable: true,
    },
    use_json_type: {
      label: 'JSON columns have the type JSON',
      hint: 'Otherwise they have the type STRING.',
      isRare: true,
    },
    endpoint_url: {
      label: 'Endpoint URL',
      hint: 'For a regional or private endpoint of the API.',
      example: 'https://bigquery.googleapis.com',
      isRare: true,
    },
  },
  Snowflake: {
    account: {
      label: 'Account',
      hint: 'The account identifier, without the domain.',
      example: 'myorg-account123',
    },
    warehouse: { label: 'Warehouse', hint: 'Names are case-sensitive.', example: 'COMPUTE_WH' },
    database: { label: 'Database', example: 'ANALYTICS' },
    schema: { label: 'Schema', example: 'PUBLIC' },
    table_name: TABLE,
    user: DATABASE_SERVER.user,
    authentication_type: {
      label: 'Authentication',
      hint: 'With a password if you choose none.',
      choices: { password: 'Password', keypair: 'Key pair' },
    },
    password: {
      label: 'Password',
      isRequired: true,
      when: ['authentication_type', (value) => value !== 'keypair'],
    },
    private_key: {
      label: 'Private key',
      hint: 'An RSA key in PEM format.',
      example: '-----BEGIN PRIVATE KEY-----',
      isRequired: true,
      when: ['authentication_type', (value) => value === 'keypair'],
    },
    private_key_passphrase: {
      label: 'Passphrase of the private key',
      hint: 'Only for an encrypted key.',
      when: ['authentication_type', (value) => value === 'keypair'],
    },
    role: { label: 'Role', hint: 'The default role of the user if empty.', example: 'EXPORTER', isRare: true },
    endpoint_url: {
      label: 'Endpoint URL',
      hint: 'For private connectivity.',
      example: 'https://myorg-account123.privatelink.snowflakecomputing.com',
      isRare: true,
    },
  },
  HTTP: {
    url: { label: 'URL', hint: 'The full address that receives the batches.', example: 'https://example.com/batch/' },
    token: { label: 'Token', hint: 'The project token at the receiving server.', example: 'phc_…' },
  },
  NoOp: {},
}

/** The lists of events of every destination. */
export const EVENT_LISTS: Record<string, FieldText> = {
  include_events: { label: 'Only these events' },
  exclude_events: { label: 'Not these events' },
}
