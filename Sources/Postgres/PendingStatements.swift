// What has been sent and not been answered yet, in order.

struct PendingStatements {
    enum Step {
        case statement
        /// One whose rows are taken one at a time.
        case rows
        /// The end of a transaction.
        case sync
    }

    private var steps: [Step] = []
    private var taken = 0
    /// The head's answer, before libpq has said that there is no more of it.
    var pending: PipelineAnswer?
    /// Why the transaction at the head is refused, from its first failure to its end.
    var failure: PostgresError?

    var isEmpty: Bool { taken == steps.count }
    var count: Int { steps.count - taken }
    var head: Step? { isEmpty ? nil : steps[taken] }

    mutating func append(_ step: Step) { steps.append(step) }

    mutating func removeHead() {
        taken += 1
        guard taken == steps.count || taken >= 1_024 else { return }
        steps.removeFirst(taken)
        taken = 0
    }
}
