// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IRocketRpl {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

function pay(address to, uint256 amount) {
    (bool ok,) = to.call{value: amount}("");
    require(ok);
}

/// Takes coin as rETH does.
contract RocketReth {
    event EtherDeposited(address indexed from, uint256 amount, uint256 time);

    receive() external payable {
        emit EtherDeposited(msg.sender, msg.value, block.timestamp);
    }
}

/// A contract of one node, which pays to the node's withdrawal address.
abstract contract RocketPoolOfNode {
    RocketNode public immutable store;
    address public immutable getNodeAddress;

    constructor(address node) {
        (store, getNodeAddress) = (RocketNode(msg.sender), node);
    }

    receive() external payable {}

    function isNodeCalling() internal view returns (bool) {
        return msg.sender == getNodeAddress || msg.sender == receiver();
    }

    function receiver() internal view returns (address) {
        return store.getNodeWithdrawalAddress(getNodeAddress);
    }

    function payUsers(uint256 amount) internal {
        if (amount > 0) pay(address(store.reth()), amount);
    }
}

/// The megapool of a node. Anyone may say here what validators and the protocol do.
contract RocketMegapool is RocketPoolOfNode {
    uint256 private constant FULL = 32 ether;

    uint256 public getNodeBond;
    uint256 public getNodeQueuedBond;
    uint256 public getRefundValue;
    uint256 public getAssignedValue;
    uint256 public getDebt;
    uint256 public getLastDistributionTime;
    uint256 public getExitingValidatorCount;
    uint256 public getLockedValidatorCount;
    /// Of rewards, 18 decimals; the protocol works it out from its settings.
    uint256 public nodeShare = 0.3 ether;

    event MegapoolValidatorEnqueued(uint256 indexed validatorId, uint256 time);
    event MegapoolValidatorExited(uint32 indexed validatorId, uint256 time);
    event MegapoolDebtIncreased(uint256 amount, uint256 time);
    event MegapoolDebtReduced(uint256 amount, uint256 time);
    event RewardsDistributed(
        uint256 nodeAmount, uint256 voterAmount, uint256 rethAmount, uint256 protocolDaoAmount, uint256 time
    );
    event RewardsClaimed(uint256 amount, uint256 time);

    constructor(address node) RocketPoolOfNode(node) {}

    function enqueue(uint256 bond) external {
        getNodeQueuedBond += bond;
        emit MegapoolValidatorEnqueued(0, block.timestamp);
    }

    function assign(uint256 bond) external {
        getNodeQueuedBond -= bond;
        getNodeBond += bond;
        getLastDistributionTime = block.timestamp;
    }

    function exit(uint256 exiting, uint256 locked) external {
        (getExitingValidatorCount, getLockedValidatorCount) = (exiting, locked);
    }

    function owe(uint256 amount) external {
        getDebt += amount;
        emit MegapoolDebtIncreased(amount, block.timestamp);
    }

    /// What a validator of this bond brought back when it left. The protocol proves it, and works the bond out.
    function notifyFinalBalance(uint256 balance, uint256 bond) external {
        uint256 shortfall = balance < FULL ? FULL - balance : 0;
        uint256 toNode = shortfall > bond ? 0 : bond - shortfall;
        uint256 toUser = balance - toNode;
        if (toUser < FULL - bond) {
            getDebt += FULL - bond - toUser;
            emit MegapoolDebtIncreased(FULL - bond - toUser, block.timestamp);
        }
        uint256 repaid = reduceDebt(toNode);
        payUsers(toUser + repaid);
        getRefundValue += toNode - repaid;
        getNodeBond -= bond;
        getExitingValidatorCount -= 1;
        if (getExitingValidatorCount == 0 && getLockedValidatorCount == 0) distributePending();
        emit MegapoolValidatorExited(0, block.timestamp);
        if (isNodeCalling()) sendRefund();
    }

    function getPendingRewards() public view returns (uint256) {
        return address(this).balance - getRefundValue - getAssignedValue;
    }

    function calculatePendingRewards() public view returns (uint256 node, uint256 voter, uint256 dao, uint256 reth) {
        uint256 pending = getPendingRewards();
        if (getLastDistributionTime == 0) return (pending, 0, 0, 0);
        node = pending * nodeShare / 1 ether;
        reth = pending - node;
    }

    function distribute() external {
        require(getLastDistributionTime != 0, "No first validator");
        distributePending();
        if (isNodeCalling()) sendRefund();
    }

    function claim() external {
        require(isNodeCalling());
        sendRefund();
    }

    function distributePending() private {
        require(getExitingValidatorCount == 0, "Pending validator exit");
        require(getLockedValidatorCount == 0, "Megapool locked");
        getLastDistributionTime = block.timestamp;
        if (getPendingRewards() == 0) return;
        (uint256 node,,, uint256 reth) = calculatePendingRewards();
        uint256 repaid = reduceDebt(node);
        payUsers(repaid);
        payUsers(reth);
        getRefundValue += node - repaid;
        emit RewardsDistributed(node - repaid, 0, reth, 0, block.timestamp);
    }

    function sendRefund() private {
        uint256 repaid = reduceDebt(getRefundValue);
        payUsers(repaid);
        uint256 amount = getRefundValue - repaid;
        getRefundValue = 0;
        if (amount > 0) pay(receiver(), amount);
        emit RewardsClaimed(amount, block.timestamp);
    }

    function reduceDebt(uint256 most) private returns (uint256 repaid) {
        repaid = most < getDebt ? most : getDebt;
        if (repaid == 0) return 0;
        getDebt -= repaid;
        emit MegapoolDebtReduced(repaid, block.timestamp);
    }
}

/// A minipool of a node. Anyone may set its state here.
contract RocketMinipool is RocketPoolOfNode {
    uint8 private constant STAKING = 2;
    uint8 private constant DISSOLVED = 4;

    uint8 public getStatus;
    bool public getFinalised;
    bool public getUserDistributed;
    bool public getVacant;
    uint256 public immutable getNodeDepositBalance;
    uint256 public getNodeRefundBalance;
    uint256 public immutable nodeFee;

    event EtherDeposited(address indexed from, uint256 amount, uint256 time);
    event EtherWithdrawn(address indexed to, uint256 amount, uint256 time);
    event EtherWithdrawalProcessed(
        address indexed executed, uint256 nodeAmount, uint256 userAmount, uint256 totalBalance, uint256 time
    );

    constructor(address node, uint256 bond, uint256 fee) RocketPoolOfNode(node) {
        (getNodeDepositBalance, nodeFee, getStatus) = (bond, fee, STAKING);
    }

    function set(uint8 status, bool vacant, uint256 refunded) external {
        (getStatus, getVacant, getNodeRefundBalance) = (status, vacant, refunded);
    }

    /// What the node or the deposit pool brings goes to the deposit contract.
    function preDeposit() external payable {
        emit EtherDeposited(msg.sender, msg.value, block.timestamp);
        pay(address(0xdead), msg.value);
    }

    function getUserDepositBalance() public view returns (uint256) {
        return 32 ether - getNodeDepositBalance;
    }

    function calculateNodeShare(uint256 balance) public view returns (uint256) {
        if (balance < 8 ether) return rewardsOf(balance);
        uint256 capital = 32 ether;
        if (balance > capital) return getNodeDepositBalance + rewardsOf(balance - capital);
        return balance > getUserDepositBalance() ? balance - getUserDepositBalance() : 0;
    }

    function distributeBalance(bool rewardsOnly) external {
        if (getStatus == DISSOLVED) {
            require(isNodeCalling());
            sendAll();
            return;
        }
        require(getStatus == STAKING);
        uint256 balance = address(this).balance - getNodeRefundBalance;
        uint256 share = calculateNodeShare(balance);
        getNodeRefundBalance += share;
        payUsers(balance - share);
        if (balance >= 8 ether) {
            require(!rewardsOnly, "Balance exceeds 8 ether");
            emit EtherWithdrawalProcessed(msg.sender, share, balance - share, balance, block.timestamp);
            if (isNodeCalling()) endWhole();
            else getUserDistributed = true;
        } else if (isNodeCalling() && getNodeRefundBalance > 0) {
            sendRefund();
        }
    }

    function refund() external {
        require(isNodeCalling());
        require(getNodeRefundBalance > 0);
        if (!getFinalised && getUserDistributed) endWhole();
        else sendRefund();
    }

    function close() external {
        require(isNodeCalling());
        require(getStatus == DISSOLVED);
        sendAll();
        store.destroyMinipool(getNodeAddress);
    }

    function endWhole() private {
        require(!getFinalised);
        getFinalised = true;
        if (getNodeRefundBalance > 0) sendRefund();
        payUsers(address(this).balance);
    }

    function sendRefund() private {
        require(!getVacant, "Vacant minipool cannot refund");
        uint256 amount = getNodeRefundBalance;
        getNodeRefundBalance = 0;
        send(amount);
    }

    function sendAll() private {
        send(address(this).balance);
    }

    function send(uint256 amount) private {
        pay(receiver(), amount);
        emit EtherWithdrawn(receiver(), amount, block.timestamp);
    }

    function rewardsOf(uint256 rewards) private view returns (uint256) {
        uint256 own = rewards * getNodeDepositBalance / 32 ether;
        return own + (rewards - own) * nodeFee / 1 ether;
    }
}

/// Fees of a node's validators; its share of them is the node's.
contract RocketDistributor {
    receive() external payable {}

    function getNodeShare() external view returns (uint256) {
        return address(this).balance / 3;
    }
}

/**
 * Rocket Pool as far as node operators see it: RocketStorage and the contracts that it names, at one address. Before the
 * Saturn release there are no megapools, and RPL is taken out at once.
 */
contract RocketNode {
    IRocketRpl public immutable rpl;
    RocketReth public immutable reth = new RocketReth();
    bool public isSaturn;
    mapping(bytes32 key => bool) public getBool;
    mapping(address node => address) public getMegapoolAddress;
    mapping(address node => address) public getProxyAddress;
    mapping(address node => address) private withdrawalAddress;
    mapping(address node => address[]) private minipools;
    mapping(address node => uint256) private staked;
    mapping(address node => uint256) public getNodeLegacyStakedRPL;
    mapping(address node => uint256) public getNodeUnstakingRPL;
    mapping(address node => uint256) public getNodeLastUnstakeTime;
    mapping(address node => uint256) public getNodeRPLStakedTime;
    mapping(address node => uint256) public getNodeEthBalance;
    mapping(address node => uint256) public getNodeDepositCredit;
    mapping(address node => uint256) private unclaimed;
    mapping(address owner => uint256) public getOutstandingEth;
    uint256 public constant unstakingPeriod = 28 days;
    uint256 public constant getWithdrawalCooldown = 28 days;

    event NodeRegistered(address indexed node, uint256 time);
    event RPLStaked(address indexed node, address from, uint256 amount, uint256 time);
    event RPLUnstaked(address indexed from, uint256 amount, uint256 time);
    event RPLLegacyUnstaked(address indexed to, uint256 amount, uint256 time);
    event RPLWithdrawn(address indexed to, uint256 amount, uint256 time);
    event DepositReceived(address indexed from, uint256 amount, uint256 time);
    event DepositFor(address indexed nodeAddress, address indexed from, uint256 amount, uint256 time);
    event Withdrawal(address indexed nodeAddress, address indexed to, uint256 amount, uint256 time);
    event NodeUnclaimedRewardsClaimed(address indexed node, uint256 amount, uint256 time);
    event MinipoolCreated(address indexed minipool, address indexed node, uint256 time);
    event MinipoolDestroyed(address indexed minipool, address indexed node, uint256 time);

    constructor(IRocketRpl token, bool saturn) {
        (rpl, isSaturn) = (token, saturn);
    }

    function getAddress(bytes32 key) external view returns (address) {
        bool isNew = key == keccak256(abi.encodePacked("contract.address", "rocketMegapoolManager"));
        return isNew && !isSaturn ? address(0) : address(this);
    }

    function registerNode() external {
        getBool[keyOf("node.exists", msg.sender)] = true;
        getProxyAddress[msg.sender] = address(new RocketDistributor());
        emit NodeRegistered(msg.sender, block.timestamp);
    }

    function stakeRPLFor(address node, uint256 amount) public {
        require(getBool[keyOf("node.exists", node)]);
        rpl.transferFrom(msg.sender, address(this), amount);
        staked[node] += amount;
        if (!isSaturn) getNodeLegacyStakedRPL[node] += amount;
        getNodeRPLStakedTime[node] = block.timestamp;
        emit RPLStaked(node, msg.sender, amount, block.timestamp);
    }

    function stakeRPL(uint256 amount) external {
        stakeRPLFor(msg.sender, amount);
    }

    /// As what was staked before Saturn.
    function setLegacy(address node, uint256 amount) external {
        getNodeLegacyStakedRPL[node] = amount;
    }

    function unstakeRPL(uint256 amount) external {
        settle(msg.sender);
        require(getNodeMegapoolStakedRPL(msg.sender) >= amount, "Insufficient RPL stake to reduce");
        startUnstaking(amount);
        emit RPLUnstaked(msg.sender, amount, block.timestamp);
    }

    function unstakeLegacyRPL(uint256 amount) external {
        settle(msg.sender);
        getNodeLegacyStakedRPL[msg.sender] -= amount;
        startUnstaking(amount);
        emit RPLLegacyUnstaked(msg.sender, amount, block.timestamp);
    }

    function withdrawRPL() external {
        uint256 amount = settle(msg.sender);
        require(amount > 0, "No available unstaking RPL to withdraw");
        emit RPLWithdrawn(msg.sender, amount, block.timestamp);
    }

    function getNodeStakedRPL(address node) public view returns (uint256) {
        require(isSaturn);
        return staked[node];
    }

    function getNodeMegapoolStakedRPL(address node) public view returns (uint256) {
        return getNodeStakedRPL(node) - getNodeLegacyStakedRPL[node];
    }

    function getNodeRPLStake(address node) external view returns (uint256) {
        require(!isSaturn);
        return staked[node];
    }

    function getUnstakingPeriod() external view returns (uint256) {
        require(isSaturn);
        return unstakingPeriod;
    }

    function getUnclaimedRewards(address node) external view returns (uint256) {
        require(isSaturn);
        return unclaimed[node];
    }

    /// A validator of a bond, which waits in the queue.
    function deposit(uint256 bond) external payable {
        if (getMegapoolAddress[msg.sender] == address(0)) {
            address megapool = address(new RocketMegapool(msg.sender));
            getMegapoolAddress[msg.sender] = megapool;
            getBool[keyOf("megapool.exists", megapool)] = true;
        }
        getNodeDepositCredit[msg.sender] -= bond - msg.value;
        emit DepositReceived(msg.sender, msg.value, block.timestamp);
        RocketMegapool(payable(getMegapoolAddress[msg.sender])).enqueue(bond);
    }

    function depositEthFor(address node) external payable {
        getNodeEthBalance[node] += msg.value;
        emit DepositFor(node, msg.sender, msg.value, block.timestamp);
    }

    function withdrawEth(address node, uint256 amount) external {
        require(msg.sender == node);
        getNodeEthBalance[node] -= amount;
        pay(node, amount);
        emit Withdrawal(node, node, amount, block.timestamp);
    }

    function credit(address node, uint256 amount) external {
        getNodeDepositCredit[node] += amount;
    }

    function owe(address node, uint256 rewards, uint256 outstanding) external payable {
        (unclaimed[node], getOutstandingEth[node]) = (rewards, outstanding);
    }

    function claimUnclaimedRewards(address node) external {
        require(msg.sender == node || msg.sender == getNodeWithdrawalAddress(node), "Only node can claim");
        uint256 amount = unclaimed[node];
        unclaimed[node] = 0;
        pay(getNodeWithdrawalAddress(node), amount);
        emit NodeUnclaimedRewardsClaimed(node, amount, block.timestamp);
    }

    function getNodeWithdrawalAddress(address node) public view returns (address) {
        return withdrawalAddress[node] == address(0) ? node : withdrawalAddress[node];
    }

    function setWithdrawalAddress(address node, address to) external {
        require(msg.sender == node);
        withdrawalAddress[node] = to;
    }

    function createMinipool(address node, uint256 bond, uint256 fee) external returns (address minipool) {
        minipool = address(new RocketMinipool(node, bond, fee));
        minipools[node].push(minipool);
        getBool[keyOf("minipool.exists", minipool)] = true;
        emit MinipoolCreated(minipool, node, block.timestamp);
    }

    /// Of the minipool that calls.
    function destroyMinipool(address node) external {
        require(getBool[keyOf("minipool.exists", msg.sender)]);
        getBool[keyOf("minipool.exists", msg.sender)] = false;
        getBool[keyOf("minipool.destroyed", msg.sender)] = true;
        address[] storage list = minipools[node];
        for (uint256 i = 0; i < list.length; ++i) {
            if (list[i] != msg.sender) continue;
            list[i] = list[list.length - 1];
            list.pop();
            break;
        }
        emit MinipoolDestroyed(msg.sender, node, block.timestamp);
    }

    /// As a minipool with a delegate that refuses.
    function addMinipools(address node, address minipool, uint256 count) external {
        for (uint256 i = 0; i < count; ++i) minipools[node].push(minipool);
    }

    function getNodeMinipoolCount(address node) external view returns (uint256) {
        return minipools[node].length;
    }

    function getNodeMinipoolAt(address node, uint256 i) external view returns (address) {
        return minipools[node][i];
    }

    function keyOf(string memory what, address at) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(what, at));
    }

    function startUnstaking(uint256 amount) private {
        staked[msg.sender] -= amount;
        getNodeUnstakingRPL[msg.sender] += amount;
        getNodeLastUnstakeTime[msg.sender] = block.timestamp;
    }

    function settle(address node) private returns (uint256 amount) {
        if (block.timestamp - getNodeLastUnstakeTime[node] <= unstakingPeriod) return 0;
        if (block.timestamp - getNodeRPLStakedTime[node] < getWithdrawalCooldown) return 0;
        amount = getNodeUnstakingRPL[node];
        if (amount == 0) return 0;
        getNodeUnstakingRPL[node] = 0;
        rpl.transfer(node, amount);
    }
}
