// Data with which FORCE puts a session of a built-in flow into a state.

/// By the state's name: the values that the state cannot do without.
package func dataForForcing(_ state: String) -> String {
    switch state {
    case "choosingLevel": #"{"episode":2}"#
    case "playingLevel": #"{"episode":2,"level":3}"#
    case "finishedLevel": #"{"episode":2,"level":3,"score":7}"#
    case "error", "accountUnavailable": #"{"message":"no"}"#
    case "ready": #"{"userID":"bob"}"#
    case "performDeviceChecks", "deviceReady": #"{"mac":"AA:BB:CC:DD:EE:FF"}"#
    default: "{}"
    }
}
