// Simulated Bluetooth devices.

import Commands
import GameFlow
import RESP

extension Route {
    static let devices: [Route] = [
        Route(.get, "/api/devices", "The simulated devices.", needs: .reads(.everything), answer: "Devices") { call in
            call.answer(["devices": .array(call.host.devices.reports.map(\.webJSON))])
        },
        deviceDeed("connect", "Connects a device.", []) { call throws(CommandError) in
            call.performOnDevice(ConnectDeviceRequest(device: call.parameter("device"))) { _ in nil }
        },
        deviceDeed("disconnect", "Disconnects a device.", []) { call throws(CommandError) in
            call.performOnDevice(DisconnectDeviceRequest(device: call.parameter("device"))) { _ in nil }
        },
        deviceDeed(
            "notify", "Has a device notify: a button is pressed, a sensor measures.",
            [.needed("what", .text, "which of its notifications"), .optional("value", .any, "a value for it")]
        ) { call throws(CommandError) in
            let words = (call.text("what") ?? "").split(separator: " ").map(String.init) + (call.valueWord.map { [$0] } ?? [])
            guard words.count <= 2 else { throw .syntax(Command.bluetooth.syntax) }
            call.performOnDevice(NotifyRequest(device: call.parameter("device"), words: words)) { $0 }
        },
        deviceDeed("advertise", "Has a device advertise.", [.optional("value", .any, "what, in place of its file's data")]) {
            call throws(CommandError) in
            call.performOnDevice(AdvertiseRequest(device: call.parameter("device"), value: call.valueWord)) { $0 }
        },
    ]

    private static func deviceDeed(_ word: String, _ summary: String, _ body: [Field], _ run: @escaping Action) -> Route {
        Route(
            .post, "/api/devices/{device}/\(word)", summary, needs: .plays(.everything), body: body, answer: "DeviceAnswer",
            run: run)
    }
}

extension WebCall {
    fileprivate var valueWord: String? { text("value") ?? json("value") }

    /// Answers with the number of events that sessions have accepted.
    fileprivate func performOnDevice<Request: CommandRequest>(
        _ request: Request, _ events: @escaping (Request.Value) -> Int?
    ) {
        perform(request) { [self] in answer(["events": events($0).map { .integer($0) } ?? .null]) }
    }
}
