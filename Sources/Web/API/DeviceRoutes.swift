// Simulated Bluetooth devices.

import Commands
import GameFlow
import RESP

extension Route {
    static let devices: [Route] = [
        Route(.get, "/api/devices", "The simulated devices.", needs: .reads(.everything), answer: "Devices") { call in
            call.answer(["devices": .array(call.host.devices.reports.map(\.webJSON))])
        },
        deviceDeed("connect", "Connects a device.", ConnectDeviceRequest.self) { _ in nil },
        deviceDeed("disconnect", "Disconnects a device.", DisconnectDeviceRequest.self) { _ in nil },
        deviceDeed("notify", "Has a device notify: a button is pressed, a sensor measures.", NotifyRequest.self) { $0 },
        deviceDeed("advertise", "Has a device advertise.", AdvertiseRequest.self) { $0 },
    ]

    /// Answers with the number of events that sessions have accepted.
    private static func deviceDeed<Request: CommandRequest>(
        _ word: String, _ summary: String, _: Request.Type, _ events: @escaping @Sendable (Request.Value) -> Int?
    ) -> Route {
        Route(
            .post, "/api/devices/{device}/\(word)", summary, needs: Request.needs, body: Field.list(of: Request.self),
            answer: "DeviceAnswer"
        ) { call throws(CommandError) in
            call.perform(try call.request(Request.self)) { call.answer(["events": events($0).map { .integer($0) } ?? .null]) }
        }
    }
}
