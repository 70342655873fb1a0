#pragma once

// The tables of the commands that list something, each defined beside its command.

#include "cmd/text/cluster_text.h"
#include "cmd/text/job_table.h"

namespace gp {

Table QueueTable(const v1::ListQueuesReply& reply);
Table PoolTable(const v1::ListQueuesReply& reply);
Table QuotaTable(const v1::ListQueuesReply& reply);
Table ImageTable(const v1::ListImagesReply& reply);
Table IncidentTable(const v1::ListIncidentsReply& reply);
Table ReservationTable(const v1::ListReservationsReply& reply);
Table BudgetTable(const v1::ListBudgetsReply& reply);
Table AuditTable(const v1::ListAuditReply& reply);
Table RoleTable(const v1::ListRolesReply& reply);
Table TokenTable(const v1::ListTokensReply& reply);
Table ControllerTable(const v1::ListControllersReply& reply);
Table SecretTable(const v1::ListSecretsReply& reply);

}  // namespace gp
