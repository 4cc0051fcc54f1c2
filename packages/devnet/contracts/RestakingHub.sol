// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IRestakingToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IRestakingStrategy {
    function deposit(address token, uint256 amount) external returns (uint256 shares);
    function withdraw(address recipient, address token, uint256 shares) external returns (uint256 amount);
    function beforeAddShares(address staker, uint256 shares) external;
    function beforeRemoveShares(address staker, uint256 shares) external;
}

/// Keeps what the validators of its owner paid out. The beacon chain is not here: the hub says what it holds.
contract RestakingPod {
    address public immutable hub;
    address public podOwner;
    uint64 public withdrawableRestakedExecutionLayerGwei;

    event EigenPodStaked(bytes32 pubkeyHash);
    event RestakedBeaconChainETHWithdrawn(address indexed recipient, uint256 amount);

    error InsufficientWithdrawableBalance();

    constructor(address owner) {
        (hub, podOwner) = (msg.sender, owner);
    }

    receive() external payable {}

    /// Deposits for a validator: the coin leaves the chain.
    function stake(bytes calldata pubkey, bytes calldata, bytes32) external payable {
        require(msg.sender == hub && msg.value == 32 ether);
        (bool ok,) = address(0xdead).call{value: msg.value}("");
        require(ok);
        emit EigenPodStaked(sha256(pubkey));
    }

    function prove(uint64 amountGwei) external {
        require(msg.sender == hub);
        withdrawableRestakedExecutionLayerGwei += amountGwei;
    }

    /// Pays whole gwei.
    function withdrawRestakedBeaconChainETH(address recipient, uint256 amountWei) external {
        require(msg.sender == hub);
        uint64 amountGwei = uint64(amountWei / 1 gwei);
        if (amountGwei > withdrawableRestakedExecutionLayerGwei) revert InsufficientWithdrawableBalance();
        withdrawableRestakedExecutionLayerGwei -= amountGwei;
        emit RestakedBeaconChainETHWithdrawn(recipient, uint256(amountGwei) * 1 gwei);
        (bool ok,) = recipient.call{value: uint256(amountGwei) * 1 gwei}("");
        require(ok);
    }
}

/**
 * EigenLayer as far as stakers see it: its DelegationManager, StrategyManager, EigenPodManager, AllocationManager and
 * RewardsCoordinator at one address. Anyone may slash, prove balances of pods and pay rewards here.
 */
contract RestakingHub {
    using EnumerableSet for EnumerableSet.Bytes32Set;

    struct Withdrawal {
        address staker;
        address delegatedTo;
        address withdrawer;
        uint256 nonce;
        uint32 startBlock;
        address[] strategies;
        uint256[] scaledShares;
    }

    struct QueuedWithdrawalParams {
        address[] strategies;
        uint256[] depositShares;
        address deprecatedWithdrawer;
    }

    struct SignatureWithExpiry {
        bytes signature;
        uint256 expiry;
    }

    struct Magnitude {
        uint32 fromBlock;
        uint64 value;
    }

    uint64 private constant WAD = 1e18;
    address public constant beaconChainETHStrategy = 0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0;
    uint32 public immutable minWithdrawalDelayBlocks;

    mapping(address staker => address) public delegatedTo;
    mapping(address staker => uint256) public cumulativeWithdrawalsQueued;
    mapping(bytes32 root => bool) public pendingWithdrawals;
    mapping(bytes32 root => Withdrawal) private queued;
    mapping(address staker => EnumerableSet.Bytes32Set) private roots;
    mapping(address staker => mapping(address strategy => uint256)) private scaling;

    mapping(address staker => address[]) public stakerStrategyList;
    mapping(address staker => mapping(address strategy => uint256)) private shares;
    mapping(address owner => RestakingPod) public ownerToPod;
    mapping(address owner => int256) public podOwnerDepositShares;
    mapping(address owner => uint64) private beaconFactor;
    mapping(address owner => bool) private isBeaconSlashed;
    mapping(address operator => mapping(address strategy => Magnitude[])) private magnitudes;

    event StakerDelegated(address indexed staker, address indexed operator);
    event StakerUndelegated(address indexed staker, address indexed operator);
    event StakerForceUndelegated(address indexed staker, address indexed operator);
    event DepositScalingFactorUpdated(address staker, address strategy, uint256 newDepositScalingFactor);
    event SlashingWithdrawalQueued(bytes32 withdrawalRoot, Withdrawal withdrawal, uint256[] sharesToWithdraw);
    event SlashingWithdrawalCompleted(bytes32 withdrawalRoot);
    event Deposit(address staker, address strategy, uint256 shares);
    event PodDeployed(address indexed eigenPod, address indexed podOwner);
    event PodSharesUpdated(address indexed podOwner, int256 sharesDelta);
    event NewTotalShares(address indexed podOwner, int256 newTotalShares);
    event BeaconChainSlashingFactorDecreased(address staker, uint64 prevFactor, uint64 newFactor);
    event RewardsClaimed(
        bytes32 root,
        address indexed earner,
        address indexed claimer,
        address indexed recipient,
        address token,
        uint256 claimedAmount
    );

    error ActivelyDelegated();
    error NotActivelyDelegated();
    error OperatorNotRegistered();
    error OperatorsCannotUndelegate();
    error CallerCannotUndelegate();
    error WithdrawerNotCaller();
    error WithdrawalNotQueued();
    error WithdrawalDelayNotElapsed();
    error FullySlashed();
    error SharesAmountZero();
    error SharesAmountTooHigh();
    error SharesNegative();
    error EigenPodAlreadyExists();

    constructor(uint32 delayBlocks) {
        minWithdrawalDelayBlocks = delayBlocks;
    }

    function registerAsOperator(address, uint32, string calldata) external {
        if (delegatedTo[msg.sender] != address(0)) revert ActivelyDelegated();
        delegate(msg.sender, msg.sender);
    }

    function delegateTo(address operator, SignatureWithExpiry calldata, bytes32) external {
        if (delegatedTo[msg.sender] != address(0)) revert ActivelyDelegated();
        if (operator == address(0) || delegatedTo[operator] != operator) revert OperatorNotRegistered();
        delegate(msg.sender, operator);
    }

    /// Queues all of the staker's shares, a withdrawal for each strategy. By the staker or its operator.
    function undelegate(address staker) external {
        address operator = delegatedTo[staker];
        if (operator == address(0)) revert NotActivelyDelegated();
        if (operator == staker) revert OperatorsCannotUndelegate();
        if (msg.sender != staker) {
            if (msg.sender != operator) revert CallerCannotUndelegate();
            emit StakerForceUndelegated(staker, operator);
        }
        delegatedTo[staker] = address(0);
        emit StakerUndelegated(staker, operator);
        (address[] memory strategies, uint256[] memory deposited) = getDepositedShares(staker);
        for (uint256 i = 0; i < strategies.length; ++i) {
            address[] memory one = new address[](1);
            uint256[] memory amount = new uint256[](1);
            (one[0], amount[0]) = (strategies[i], deposited[i]);
            queue(staker, operator, one, amount);
        }
    }

    function queueWithdrawals(QueuedWithdrawalParams[] calldata params) external {
        for (uint256 i = 0; i < params.length; ++i) {
            queue(msg.sender, delegatedTo[msg.sender], params[i].strategies, params[i].depositShares);
        }
    }

    function completeQueuedWithdrawal(Withdrawal memory withdrawal, address[] calldata tokens, bool receiveAsTokens)
        external
    {
        if (msg.sender != withdrawal.withdrawer) revert WithdrawerNotCaller();
        bytes32 root = keccak256(abi.encode(withdrawal));
        if (!pendingWithdrawals[root]) revert WithdrawalNotQueued();
        uint32 slashableUntil = withdrawal.startBlock + minWithdrawalDelayBlocks;
        if (block.number <= slashableUntil) revert WithdrawalDelayNotElapsed();
        roots[withdrawal.staker].remove(root);
        delete queued[root];
        delete pendingWithdrawals[root];
        emit SlashingWithdrawalCompleted(root);
        for (uint256 i = 0; i < withdrawal.strategies.length; ++i) {
            address strategy = withdrawal.strategies[i];
            uint256 factor = factorAt(withdrawal.staker, withdrawal.delegatedTo, strategy, slashableUntil);
            uint256 due = Math.mulDiv(withdrawal.scaledShares[i], factor, WAD);
            if (due == 0) continue;
            if (receiveAsTokens) payOut(withdrawal.staker, strategy, tokens[i], due);
            else giveBack(withdrawal.staker, strategy, due);
        }
    }

    function depositIntoStrategy(address strategy, address token, uint256 amount) external returns (uint256) {
        return depositFor(msg.sender, strategy, token, amount);
    }

    /// The signature is not looked at here.
    function depositIntoStrategyWithSignature(
        address strategy,
        address token,
        uint256 amount,
        address staker,
        uint256,
        bytes calldata
    ) external returns (uint256) {
        return depositFor(staker, strategy, token, amount);
    }

    function createPod() public returns (address) {
        if (address(ownerToPod[msg.sender]) != address(0)) revert EigenPodAlreadyExists();
        RestakingPod pod = new RestakingPod(msg.sender);
        ownerToPod[msg.sender] = pod;
        emit PodDeployed(address(pod), msg.sender);
        return address(pod);
    }

    function stake(bytes calldata pubkey, bytes calldata signature, bytes32 root) external payable {
        if (address(ownerToPod[msg.sender]) == address(0)) createPod();
        ownerToPod[msg.sender].stake{value: msg.value}(pubkey, signature, root);
    }

    /// What validators of a pod hold more or less than was proven before; `value` has left the beacon chain.
    function checkpoint(address owner, uint256 before, int256 change) external payable {
        RestakingPod pod = ownerToPod[owner];
        if (msg.value > 0) {
            (bool ok,) = address(pod).call{value: msg.value}("");
            require(ok);
            pod.prove(uint64(msg.value / 1 gwei));
        }
        if (change > 0) {
            addPodShares(owner, uint256(change));
        } else if (change < 0) {
            uint64 old = beaconChainSlashingFactor(owner);
            uint64 now_ = uint64(Math.mulDiv(old, before - uint256(-change), before));
            (beaconFactor[owner], isBeaconSlashed[owner]) = (now_, true);
            emit BeaconChainSlashingFactorDecreased(owner, old, now_);
        }
    }

    /// A deficit as some pods have it from before shares could be slashed.
    function setDeficit(address owner, int256 deficit) external {
        podOwnerDepositShares[owner] = deficit;
    }

    /// Takes a part (18 decimals) of all that is delegated to the operator in the strategy, and of what is queued.
    function slash(address operator, address strategy, uint64 part) external {
        uint64 old = getMaxMagnitude(operator, strategy);
        magnitudes[operator][strategy].push(
            Magnitude(uint32(block.number), old - uint64(Math.mulDiv(old, part, WAD, Math.Rounding.Ceil)))
        );
    }

    /// Pays what the caller allowed, as a claim by a tree of the earner does.
    function claimFor(address earner, address recipient, address token, uint256 amount) external {
        IRestakingToken(token).transferFrom(msg.sender, address(this), amount);
        IRestakingToken(token).transfer(recipient, amount);
        emit RewardsClaimed(keccak256("root"), earner, msg.sender, recipient, token, amount);
    }

    function stakerStrategyListLength(address staker) external view returns (uint256) {
        return stakerStrategyList[staker].length;
    }

    function stakerDepositShares(address staker, address strategy) public view returns (uint256) {
        if (strategy != beaconChainETHStrategy) return shares[staker][strategy];
        int256 own = podOwnerDepositShares[staker];
        return own < 0 ? 0 : uint256(own);
    }

    function getDepositedShares(address staker)
        public
        view
        returns (address[] memory strategies, uint256[] memory deposited)
    {
        address[] memory listed = stakerStrategyList[staker];
        bool hasPod = stakerDepositShares(staker, beaconChainETHStrategy) > 0;
        strategies = new address[](listed.length + (hasPod ? 1 : 0));
        deposited = new uint256[](strategies.length);
        for (uint256 i = 0; i < strategies.length; ++i) {
            strategies[i] = i < listed.length ? listed[i] : beaconChainETHStrategy;
            deposited[i] = stakerDepositShares(staker, strategies[i]);
        }
    }

    function getWithdrawableShares(address staker, address[] memory strategies)
        external
        view
        returns (uint256[] memory withdrawable, uint256[] memory deposited)
    {
        withdrawable = new uint256[](strategies.length);
        deposited = new uint256[](strategies.length);
        for (uint256 i = 0; i < strategies.length; ++i) {
            deposited[i] = stakerDepositShares(staker, strategies[i]);
            uint256 factor = factorNow(staker, delegatedTo[staker], strategies[i]);
            withdrawable[i] = withdrawableOf(staker, strategies[i], deposited[i], factor);
        }
    }

    function getQueuedWithdrawalRoots(address staker) public view returns (bytes32[] memory) {
        return roots[staker].values();
    }

    function getQueuedWithdrawals(address staker)
        external
        view
        returns (Withdrawal[] memory withdrawals, uint256[][] memory due)
    {
        bytes32[] memory all = getQueuedWithdrawalRoots(staker);
        withdrawals = new Withdrawal[](all.length);
        due = new uint256[][](all.length);
        for (uint256 i = 0; i < all.length; ++i) {
            Withdrawal memory one = queued[all[i]];
            withdrawals[i] = one;
            due[i] = new uint256[](one.strategies.length);
            uint32 slashableUntil = one.startBlock + minWithdrawalDelayBlocks;
            for (uint256 j = 0; j < one.strategies.length; ++j) {
                uint256 factor = slashableUntil < block.number
                    ? factorAt(one.staker, one.delegatedTo, one.strategies[j], slashableUntil)
                    : factorNow(one.staker, one.delegatedTo, one.strategies[j]);
                due[i][j] = Math.mulDiv(one.scaledShares[j], factor, WAD);
            }
        }
    }

    function depositScalingFactor(address staker, address strategy) public view returns (uint256) {
        return scaling[staker][strategy] == 0 ? WAD : scaling[staker][strategy];
    }

    function beaconChainSlashingFactor(address owner) public view returns (uint64) {
        return isBeaconSlashed[owner] ? beaconFactor[owner] : WAD;
    }

    function getMaxMagnitude(address operator, address strategy) public view returns (uint64) {
        return getMaxMagnitudeAt(operator, strategy, uint32(block.number));
    }

    function getMaxMagnitudeAt(address operator, address strategy, uint32 blockNumber) public view returns (uint64) {
        Magnitude[] storage all = magnitudes[operator][strategy];
        for (uint256 i = all.length; i > 0; --i) {
            if (all[i - 1].fromBlock <= blockNumber) return all[i - 1].value;
        }
        return WAD;
    }

    function delegate(address staker, address operator) private {
        (address[] memory strategies, uint256[] memory added) = getDepositedShares(staker);
        delegatedTo[staker] = operator;
        emit StakerDelegated(staker, operator);
        for (uint256 i = 0; i < strategies.length; ++i) {
            if (strategies[i] == beaconChainETHStrategy) {
                added[i] = withdrawableOf(staker, strategies[i], added[i], beaconChainSlashingFactor(staker));
            }
            // What the operator lost before is not the staker's loss.
            increase(staker, strategies[i], 0, added[i], getMaxMagnitude(operator, strategies[i]));
        }
    }

    function increase(address staker, address strategy, uint256 before, uint256 added, uint256 factor) private {
        if (factor == 0) revert FullySlashed();
        if (added == 0) return;
        uint256 old = depositScalingFactor(staker, strategy);
        if (before == 0) {
            scaling[staker][strategy] = Math.mulDiv(old, WAD, factor);
        } else {
            uint256 total = withdrawableOf(staker, strategy, before, factor) + added;
            scaling[staker][strategy] = Math.mulDiv(Math.mulDiv(total, WAD, before + added), WAD, factor);
        }
        emit DepositScalingFactorUpdated(staker, strategy, depositScalingFactor(staker, strategy));
    }

    function queue(address staker, address operator, address[] memory strategies, uint256[] memory amounts) private {
        uint256[] memory scaled = new uint256[](strategies.length);
        uint256[] memory due = new uint256[](strategies.length);
        for (uint256 i = 0; i < strategies.length; ++i) {
            uint256 factor = factorNow(staker, operator, strategies[i]);
            due[i] = withdrawableOf(staker, strategies[i], amounts[i], factor);
            scaled[i] = Math.mulDiv(amounts[i], depositScalingFactor(staker, strategies[i]), WAD);
            if (removeShares(staker, strategies[i], amounts[i]) == 0) {
                scaling[staker][strategies[i]] = 0;
                emit DepositScalingFactorUpdated(staker, strategies[i], WAD);
            }
        }
        uint256 nonce = cumulativeWithdrawalsQueued[staker]++;
        Withdrawal memory withdrawal =
            Withdrawal(staker, operator, staker, nonce, uint32(block.number), strategies, scaled);
        bytes32 root = keccak256(abi.encode(withdrawal));
        pendingWithdrawals[root] = true;
        queued[root] = withdrawal;
        roots[staker].add(root);
        emit SlashingWithdrawalQueued(root, withdrawal, due);
    }

    function removeShares(address staker, address strategy, uint256 amount) private returns (uint256 left) {
        if (strategy == beaconChainETHStrategy) {
            int256 after_ = podOwnerDepositShares[staker] - int256(amount);
            if (after_ < 0) revert SharesNegative();
            podOwnerDepositShares[staker] = after_;
            emit NewTotalShares(staker, after_);
            return uint256(after_);
        }
        if (amount == 0) revert SharesAmountZero();
        if (amount > shares[staker][strategy]) revert SharesAmountTooHigh();
        IRestakingStrategy(strategy).beforeRemoveShares(staker, amount);
        left = shares[staker][strategy] -= amount;
        if (left > 0) return left;
        address[] storage list = stakerStrategyList[staker];
        uint256 place = 0;
        while (list[place] != strategy) place += 1;
        list[place] = list[list.length - 1];
        list.pop();
    }

    function payOut(address staker, address strategy, address token, uint256 due) private {
        if (strategy != beaconChainETHStrategy) {
            IRestakingStrategy(strategy).withdraw(staker, token, due);
            return;
        }
        int256 own = podOwnerDepositShares[staker];
        if (own < 0) {
            uint256 repaid = Math.min(due, uint256(-own));
            podOwnerDepositShares[staker] = own + int256(repaid);
            due -= repaid;
        }
        if (due > 0) ownerToPod[staker].withdrawRestakedBeaconChainETH(staker, due);
    }

    function giveBack(address staker, address strategy, uint256 due) private {
        if (strategy == beaconChainETHStrategy) addPodShares(staker, due);
        else addShares(staker, strategy, due);
    }

    function depositFor(address staker, address strategy, address token, uint256 amount)
        private
        returns (uint256 added)
    {
        IRestakingToken(token).transferFrom(msg.sender, strategy, amount);
        added = IRestakingStrategy(strategy).deposit(token, amount);
        addShares(staker, strategy, added);
    }

    function addShares(address staker, address strategy, uint256 added) private {
        if (added == 0) revert SharesAmountZero();
        IRestakingStrategy(strategy).beforeAddShares(staker, added);
        uint256 before = shares[staker][strategy];
        if (before == 0) stakerStrategyList[staker].push(strategy);
        shares[staker][strategy] = before + added;
        emit Deposit(staker, strategy, added);
        increase(staker, strategy, before, added, factorNow(staker, delegatedTo[staker], strategy));
    }

    function addPodShares(address owner, uint256 added) private {
        int256 before = podOwnerDepositShares[owner];
        int256 total = before + int256(added);
        podOwnerDepositShares[owner] = total;
        emit PodSharesUpdated(owner, int256(added));
        emit NewTotalShares(owner, total);
        uint256 counted = before < 0 ? (total < 0 ? 0 : uint256(total)) : added;
        uint256 factor = factorNow(owner, delegatedTo[owner], beaconChainETHStrategy);
        increase(owner, beaconChainETHStrategy, before < 0 ? 0 : uint256(before), counted, factor);
    }

    function withdrawableOf(address staker, address strategy, uint256 amount, uint256 factor)
        private
        view
        returns (uint256)
    {
        return Math.mulDiv(Math.mulDiv(amount, depositScalingFactor(staker, strategy), WAD), factor, WAD);
    }

    function factorNow(address staker, address operator, address strategy) private view returns (uint256) {
        return factorAt(staker, operator, strategy, uint32(block.number));
    }

    function factorAt(address staker, address operator, address strategy, uint32 blockNumber)
        private
        view
        returns (uint256)
    {
        uint256 magnitude = getMaxMagnitudeAt(operator, strategy, blockNumber);
        if (strategy != beaconChainETHStrategy) return magnitude;
        return Math.mulDiv(magnitude, beaconChainSlashingFactor(staker), WAD);
    }
}
