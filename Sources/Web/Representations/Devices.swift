// A simulated device, as the page gets it.

import Commands
import GameFlow

extension DeviceReport {
    var webJSON: JSON {
        .object(
            identity.map { .init($0.name, .string($0.value)) } + [
                .init("connected", .bool(isConnected)), .init("says", .array(notifications.map { .string($0) })),
                .init("counts", .object(counts.map { .init($0.name, .integer($0.count)) })),
            ])
    }
}
