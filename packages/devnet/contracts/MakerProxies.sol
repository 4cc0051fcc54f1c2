// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A contract that runs code for its owner, as DSProxy does.
contract MakerProxy {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function setOwner(address owner_) external {
        require(msg.sender == owner, "ds-auth-unauthorized");
        owner = owner_;
    }

    function execute(address target, bytes calldata data) external payable returns (bytes memory response) {
        require(msg.sender == owner, "ds-auth-unauthorized");
        bytes memory noted = abi.encode(msg.value, msg.data);
        assembly {
            log4(add(noted, 32), mload(noted), shl(224, shr(224, calldataload(0))), caller(), calldataload(4), calldataload(36))
        }
        bool passed;
        (passed, response) = target.delegatecall(data);
        if (!passed) {
            assembly {
                revert(add(response, 32), mload(response))
            }
        }
    }
}

/// Makes proxies and logs whose they are.
contract MakerProxies {
    event Created(address indexed sender, address indexed owner, address proxy, address cache);

    mapping(address => bool) public isProxy;

    function build(address owner) external returns (address proxy) {
        proxy = address(new MakerProxy(owner));
        isProxy[proxy] = true;
        emit Created(msg.sender, owner, proxy, address(0));
    }
}
