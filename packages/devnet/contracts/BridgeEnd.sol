// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// One end of a bridge for native coins: takes them in, or pays out what the other end took.
contract BridgeEnd {
    event Sent(address indexed sender, uint256 amount);
    event Delivered(address indexed receiver, uint256 amount);

    receive() external payable {}

    function send() external payable {
        emit Sent(msg.sender, msg.value);
    }

    function deliver(address payable receiver, uint256 amount) external {
        emit Delivered(receiver, amount);
        (bool paid, ) = receiver.call{value: amount}("");
        require(paid, "refused");
    }
}
