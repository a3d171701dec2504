import './exports.css'
import { useForm } from '@mantine/form'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { AnchorLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { DestinationTiles } from './DestinationTiles.tsx'
import { type ExportValues, newValues, typeOf } from './export-values.ts'
import { NewExportForm } from './NewExportForm.tsx'
import { EXPORTS, NEW_EXPORT, NEW_EXPORT_ID } from './paths.ts'
import { StepNav } from './StepNav.tsx'

const route = getRouteApi(NEW_EXPORT_ID)

/** Creates an export in three steps: where, what and when. The values of all steps stay while the page is open. */
export function NewExportPage() {
  const place = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const form = useForm<ExportValues>({ initialValues: newValues() })
  const type = typeOf(search.type)
  return (
    <>
      <PageHeader
        title="Create export"
        above={
          <AnchorLink size="sm" to={EXPORTS} params={place}>
            Exports
          </AnchorLink>
        }
      />
      {type ? (
        <NewExportForm form={form} type={type} place={place} search={search} />
      ) : (
        <>
          <StepNav
            place={place}
            search={search}
            current="where"
            summaries={{ where: '', what: '', when: '' }}
            canEnter={() => false}
          />
          <DestinationTiles
            place={place}
            search={search.search ?? ''}
            onSearch={(text) =>
              void navigate({
                to: NEW_EXPORT,
                params: place,
                search: { search: text || undefined },
                replace: true,
                resetScroll: false,
              })
            }
          />
        </>
      )}
    </>
  )
}
